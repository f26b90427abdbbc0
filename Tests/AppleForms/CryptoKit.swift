// swift-format-ignore-file
// The form of Apple's CryptoKit, as far as the SDK uses it. `AppleFormTests` checks against it.
public import Foundation

public enum P256 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}

            public func isValidSignature<D: DataProtocol>(
                _ signature: ECDSASignature, for data: D
            ) -> Bool { false }
        }

        public struct ECDSASignature: Sendable {
            public init<D: DataProtocol>(rawRepresentation: D) throws {}
        }
    }
}
