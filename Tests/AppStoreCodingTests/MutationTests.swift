import AppStoreCoding
import AppStoreModel
import Foundation
import SignedDataCoding
import TestKit
import Testing

@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct `Mutated files` {
    private static let files = ["receipts", "jws"].flatMap { AppleData.files(in: $0) }
    private static let messages = ["models", "notifications-v1", "verifyreceipt"].flatMap {
        AppleData.files(in: $0)
    }

    /// Reads bytes by every way in; only errors of the one type may come out.
    private func read(_ bytes: [UInt8]) throws(SignedDataError) -> Bool {
        for proof in try ClientProof.decodeAll(bytes) {
            switch proof.content {
            case .receipt(let receipt):
                let content = try AppReceipt(decoding: receipt)
                // What was read can be written and read again, to the same.
                let written = content.encodedContent()
                #expect(try AppReceipt(decodingContent: written[...]).encodedContent() == written)
                _ = VerifyReceiptResponse(
                    receipt: content, receiptData: "", requestDate: content.creationDate)
            case .legacyReceipt(let receipt):
                _ = try receipt.signature()
                _ = VerifyReceiptResponse(
                    legacyReceipt: try LegacyReceipt(decoding: receipt), receiptData: "",
                    requestDate: Timestamp(milliseconds: 0))
            case .signedValue(let value):
                _ = try value.header()
                _ = try SignedPayload(decodingPayload: value.payload)
            }
        }
        return true
    }

    @Test(arguments: files)
    func `a proof with flipped, cut and doubled bytes is read or refused`(_ file: String) throws {
        let genuine = try AppleSamples.bytes(file)
        let inner = file.hasSuffix(".b64") ? try AppleSamples.decoded(file) : genuine
        // The seed is the file's name, so that a failure repeats by it.
        var random = SeededRandom(seed: file.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        var refused = 0
        let rounds = genuine.count > 30_000 ? 24 : 350
        for round in 0..<rounds {
            let mutated = random.mutate(round % 2 == 0 ? genuine : inner)
            do { _ = try read(mutated) } catch { refused += 1 }
        }
        #expect(refused > 0)
    }

    @Test(arguments: files.filter { $0.hasPrefix("receipts/rcpt") })
    func `a receipt's content with flipped, cut and doubled bytes is read or refused`(
        _ file: String
    ) throws {
        let signed = try SignedReceipt(decoding: try AppleSamples.decoded(file))
        let content = Array(signed.content)
        var random = SeededRandom(seed: file.utf8.reduce(9) { $0 &* 31 &+ UInt64($1) })
        for _ in 0..<(content.count > 30_000 ? 12 : 200) {
            let mutated = random.mutate(content)
            guard let receipt = try? AppReceipt(decodingContent: mutated[...]) else { continue }
            let written = receipt.encodedContent()
            #expect(try AppReceipt(decodingContent: written[...]).encodedContent() == written)
        }
    }

    @Test(arguments: files.filter { $0.hasPrefix("jws/") })
    func `a payload with flipped, cut and doubled bytes is read or refused`(_ file: String) throws {
        let text = try AppleSamples.text(file)
        let payload = try CompactJWS(decoding: text).payload
        var random = SeededRandom(seed: file.utf8.reduce(11) { $0 &* 31 &+ UInt64($1) })
        for _ in 0..<300 { _ = try? SignedPayload(decodingPayload: random.mutate(payload)) }
    }

    @Test(arguments: messages)
    func `a message with flipped, cut and doubled bytes is read or refused`(_ file: String) throws {
        let genuine = try AppleSamples.bytes(file)
        var random = SeededRandom(seed: file.utf8.reduce(13) { $0 &* 31 &+ UInt64($1) })
        for _ in 0..<(genuine.count > 30_000 ? 4 : 60) {
            let mutated = random.mutate(genuine)
            _ = try? VerifyReceiptResponse(decodingJSON: mutated)
            _ = try? NotificationV1Body(decodingJSON: mutated)
            _ = try? NotificationPayload(decodingJSON: mutated)
            _ = try? ClientProof.decodeAll(mutated)
        }
    }
}
