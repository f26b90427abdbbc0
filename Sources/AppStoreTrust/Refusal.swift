public import SignedDataCoding

/// Why a proof is not taken: the first reason in the order of `Reason`.
public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason; its raw value is the stable code.
    public let reason: Reason
    /// What exactly, for people; never to be compared, and without secrets.
    public let detail: String
    /// What could not be read, where that is the reason.
    public let cause: SignedDataError?

    init(_ reason: Reason, _ detail: String = "") {
        self.reason = reason
        self.detail = detail
        cause = nil
    }

    init(_ reason: Reason, cause: SignedDataError) {
        self.reason = reason
        detail = cause.description
        self.cause = cause
    }

    /// The stable code, as in JSON.
    public var code: String { reason.rawValue }
    /// Whether trying again later can help; otherwise the answer is final.
    public var isRetryable: Bool { reason.isRetryable }
    /// A sentence for people, with the detail where there is one.
    public var sentence: String {
        detail.isEmpty ? reason.sentence : "\(reason.sentence) (\(detail))"
    }
    /// Code and sentence in one line.
    public var description: String { "\(code): \(sentence)" }
}

extension Refusal {
    /// What can be wrong with a proof, in the order in which it is looked for.
    ///
    /// An earlier one hides the later ones: what is said of a payload is said of one that Apple, or a
    /// named root, did sign.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The bytes are no proof of the kind that was asked for.
        case unreadable
        /// An algorithm or a structure that Apple does not use.
        case unsupportedAlgorithm
        /// Another number of certificates than Apple sends.
        case wrongCertificateCount
        /// The chain ends in a root that nobody named.
        case untrustedRoot
        /// The intermediate or the root that this old receipt needs was not given to the verifier.
        case intermediateUnknown
        /// A certificate that cannot be read.
        case unreadableCertificate
        /// The certificates are not of the kind that signs such proofs.
        case wrongCertificateUse
        /// The certificates do not form a chain up to the root.
        case brokenChain
        /// The signer that a receipt names is not the first of its certificates.
        case wrongSigner
        /// The signature does not belong to the content.
        case wrongSignature
        /// A signed value of another kind than was asked for.
        case wrongKind
        /// The content is signed, but is not what such a proof holds.
        case malformedPayload
        /// The certificates were not valid when the proof was signed.
        case certificateNotValidThen
        /// A proof of another app.
        case wrongApp
        /// A root that this app does not name; another app does.
        case rootOfAnotherApp
        /// A production proof with another app Apple ID.
        case wrongAppAppleID
        /// An environment that Apple does not have, or none.
        case unknownEnvironment
        /// An environment from which this app takes nothing.
        case environmentNotAdmitted
        /// The parts of a notification do not belong together.
        case mismatchedParts
    }
}

extension Refusal.Reason: Comparable {
    /// Orders by precedence: the lesser one is looked for first.
    public static func < (left: Self, right: Self) -> Bool { left.precedence < right.precedence }

    /// Its place in the order, from 0.
    public var precedence: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }

    /// Whether trying again later can help: after the operator added what is missing.
    public var isRetryable: Bool { facts.isRetryable }

    /// A sentence for people.
    public var sentence: String { facts.sentence }

    /// The one table about reasons.
    private var facts: (isRetryable: Bool, sentence: String) {
        switch self {
        case .unreadable: (false, "This is no proof of purchase that can be read.")
        case .wrongKind: (false, "This is a proof of another kind than was asked for.")
        case .unsupportedAlgorithm: (false, "It is signed in a way that Apple does not use.")
        case .wrongCertificateCount:
            (false, "It does not carry the certificates that Apple's proofs carry.")
        case .untrustedRoot:
            (false, "Apple did not sign this: its certificates end in another root.")
        case .intermediateUnknown:
            (true, "This old receipt needs an intermediate and a root, and one was not given.")
        case .unreadableCertificate: (false, "One of its certificates cannot be read.")
        case .wrongCertificateUse:
            (false, "Its certificates are not those that sign proofs of purchase.")
        case .brokenChain: (false, "Its certificates do not form a chain up to the root.")
        case .wrongSigner:
            (false, "It names another signer than the one whose certificate it carries.")
        case .wrongSignature:
            (false, "The signature does not belong to the content: it was changed.")
        case .malformedPayload:
            (false, "It is signed, but its content is not that of such a proof.")
        case .certificateNotValidThen:
            (false, "Its certificates were not valid at that time.")
        case .wrongApp: (false, "It is genuine, but of another app.")
        case .wrongAppAppleID: (false, "It is genuine, but its app Apple ID is another.")
        case .unknownEnvironment: (false, "It names no environment that Apple has.")
        case .environmentNotAdmitted:
            (false, "It is genuine, but from an environment that this app does not take.")
        case .rootOfAnotherApp: (false, "It is signed under a root that this app does not name.")
        case .mismatchedParts: (false, "The parts of the notification do not belong together.")
        }
    }
}
