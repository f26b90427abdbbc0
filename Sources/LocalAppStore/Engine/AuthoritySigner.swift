import AppStoreCoding
public import AppStoreModel
public import AppStoreSigning
import CryptoPrimitives
import SignedDataCoding
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs for a store under a root of its own; what is wrong on purpose is wrong in one way.
public struct AuthoritySigner: StoreSigner {
    /// Whose keys sign.
    public let authority: SigningAuthority

    /// Signs with the keys of an authority.
    public init(_ authority: SigningAuthority) { self.authority = authority }

    /// The one root that issued everything, in DER.
    public var tokenRoot: [UInt8] { authority.root.der }
    /// The one root that issued everything, in DER.
    public var receiptRoot: [UInt8] { authority.root.der }

    /// Signs a transaction as a compact JWS.
    public func sign(_ payload: TransactionPayload, flaws: SigningFlaws) throws -> String {
        try token(payload, at: payload.signedDate, flaws)
    }

    /// Signs a renewal information as a compact JWS.
    public func sign(_ payload: RenewalPayload, flaws: SigningFlaws) throws -> String {
        try token(payload, at: payload.signedDate, flaws)
    }

    /// Signs a notification as a compact JWS.
    public func sign(_ payload: NotificationPayload, flaws: SigningFlaws) throws -> String {
        try token(payload, at: payload.signedDate, flaws)
    }

    /// Signs an app transaction as a compact JWS.
    public func sign(_ payload: AppTransactionPayload, flaws: SigningFlaws) throws -> String {
        try token(payload, at: payload.receiptCreationDate, flaws)
    }

    private func token(
        _ payload: some AppStoreObject, at moment: Timestamp?, _ flaws: SigningFlaws
    ) throws -> String {
        var json = try payload.encodedJSON()
        if flaws.kinds.contains(.xcodeDates) { json = Self.withFractionalDates(json) }
        return try authority.sign(json: json, at: moment ?? .zero, fault: flaws.fault)
    }

    /// Puts a quarter of a millisecond to each date, as Xcode's clock has more than milliseconds.
    static func withFractionalDates(_ json: [UInt8]) -> [UInt8] {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json)),
            case .object(var members) = value
        else { return json }
        for (name, member) in members where name.hasSuffix("Date") {
            if let milliseconds = member.integer {
                members[name] = .number(Double(milliseconds) + 0.25)
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(JSONValue.object(members))).map { Array($0) } ?? json
    }

    /// Signs an app receipt as PKCS#7.
    ///
    /// The opaque attributes are drawn from the receipt's own opaque value, so that the same receipt has the same
    /// bytes each time.
    public func sign(
        _ receipt: AppReceipt, deviceIdentifier: [UInt8], flaws: SigningFlaws
    ) throws -> [UInt8] {
        var receipt = receipt
        var chance = OpaqueChance(
            seed: receipt.device.opaqueValue.reduce(0) { $0 &* 257 &+ UInt64($1) })
        receipt.fillOpaqueAttributes(deviceIdentifier: deviceIdentifier, using: &chance)
        let isXcode = receipt.receiptType == .xcode
        let form: SignedReceipt.Form =
            isXcode || flaws.kinds.contains(.berReceipt) ? .xcode : .appStore
        let contentForm: SignedReceipt.Form =
            isXcode || flaws.kinds.contains(.xcodeDates) ? .xcode : .appStore
        var content = receipt.encodedContent(contentForm)
        if flaws.kinds.contains(.xcodeDates) {
            content = try OffsetDates.content(content)
        }
        if flaws.kinds.contains(.unsortedReceipt) {
            content = try Self.withPurchasesInDisorder(content, &chance)
        }
        return try authority.sign(
            receiptContent: content, at: receipt.creationDate,
            digest: flaws.kinds.contains(.sha1Receipt) ? .sha1 : .sha256, form: form,
            fault: flaws.fault)
    }

    /// Gives up the order of DER, which is Apple's usual one: old receipts come in no order at all.
    private static func withPurchasesInDisorder(
        _ content: [UInt8], _ chance: inout OpaqueChance
    ) throws -> [UInt8] {
        let members = try ReceiptAttribute.decodeList(content[...])
        let purchases = members.filter { $0.type == 17 }
        var mixed = purchases.shuffled(using: &chance)
        if mixed == purchases { mixed = purchases.reversed() }
        var writer = DERWriter()
        writer.add(
            DERTag.set, (members.filter { $0.type != 17 } + mixed).flatMap(\.encoded))
        return writer.bytes
    }

    /// Makes an iOS 6 transaction receipt.
    public func sign(_ receipt: LegacyReceipt, flaws: SigningFlaws) throws -> [UInt8] {
        try authority.sign(receipt, fault: flaws.fault)
    }
}

extension SigningFlaws {
    /// The first of the flaws that is one of the signature.
    var fault: SigningFault? {
        if kinds.contains(.wrongSignature) { return .alteredSignature }
        if kinds.contains(.expiredCertificate) { return .expiredLeaf }
        if kinds.contains(.foreignRoot) { return .foreignRoot }
        if kinds.contains(.missingMarker) { return .missingLeafMarker }
        return nil
    }
}

/// Writes a receipt's dates three hours east of Greenwich, as Xcode does on a developer's machine there.
private enum OffsetDates {
    static func content(_ content: [UInt8]) throws(SignedDataError) -> [UInt8] {
        let members = try ReceiptAttribute.decodeList(content[...])
        return ReceiptAttribute.encodeList(try members.map(member))
    }

    private static func member(
        _ member: ReceiptAttribute
    ) throws(SignedDataError) -> ReceiptAttribute {
        // Attribute 17 is a list of its own.
        if member.type == 17 {
            let inner = try content(Array(member.value))
            return ReceiptAttribute(type: 17, version: member.version, value: inner[...])
        }
        let bytes = Array(member.value)
        guard bytes.count > 2, bytes[0] == DERTag.ia5String,
            let date = Timestamp(appleText: String(decoding: bytes.dropFirst(2), as: UTF8.self))
        else { return member }
        var writer = DERWriter()
        let local = date.advanced(byMilliseconds: 3 * 3_600_000).rfc3339
        writer.add(DERTag.ia5String, Array((local.dropLast() + "+0300").utf8))
        return ReceiptAttribute(
            type: member.type, version: member.version, value: writer.bytes[...])
    }
}

/// Numbers for a receipt's opaque attributes.
private struct OpaqueChance: RandomNumberGenerator {
    private var source: IDSource
    init(seed: UInt64) { source = IDSource(seed: seed) }
    mutating func next() -> UInt64 { source.next() }
}
