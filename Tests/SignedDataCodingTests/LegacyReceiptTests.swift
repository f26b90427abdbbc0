import SignedDataCoding
import Testing

struct `Transaction receipts of iOS 6` {
    private let info = LegacyTransactionReceipt.encodePurchaseInfo([
        ("bid", "com.example.app"), ("product-id", "coins \"600\" \\"), ("transaction-id", "7"),
    ])

    private func receipt(version: UInt8 = 2) -> [UInt8] {
        LegacyTransactionReceipt.encode(
            purchaseInfo: info, signature: [UInt8](repeating: 5, count: 128),
            certificate: [0x30, 0], environment: "Sandbox")
    }

    private func code(_ text: String) -> SignedDataError.Code? {
        do {
            _ = try LegacyTransactionReceipt(decoding: Array(text.utf8))
            return nil
        } catch { return error.code }
    }

    @Test func `a receipt is put together and taken apart`() throws {
        let read = try LegacyTransactionReceipt(decoding: receipt())
        #expect(read.purchaseInfo["product-id"] == "coins \"600\" \\")
        #expect(read.purchaseInfoBytes == info)
        #expect(read.environment == "Sandbox")
        #expect(read.signedBytes == [2] + info)
        let signature = try read.signature()
        #expect(Array(signature.signature) == [UInt8](repeating: 5, count: 128))
        #expect(Array(signature.certificate) == [0x30, 0])
    }

    @Test func `a signature of another version is said to be unsupported`() throws {
        let blob = [3] + [UInt8](repeating: 5, count: 300)
        let text = """
            {"signature" = "\(Base64.encode(blob))"; "purchase-info" = "\(Base64.encode(info))";}
            """
        let read = try LegacyTransactionReceipt(decoding: Array(text.utf8))
        #expect(throws: SignedDataError(.unsupportedLegacySignature, detail: "version 3")) {
            try read.signature()
        }
    }

    @Test func `a signature whose length is wrong is refused`() throws {
        var blob = [2] + [UInt8](repeating: 5, count: 128) + [0, 0, 0, 2, 0x30, 0]
        func read() throws -> LegacyTransactionReceipt.Signature {
            let text = """
                {"signature" = "\(Base64.encode(blob))"; "purchase-info" = "\(Base64.encode(info))"}
                """
            return try LegacyTransactionReceipt(decoding: Array(text.utf8)).signature()
        }
        #expect(try read().certificate.count == 2)
        blob.append(1)
        #expect(throws: SignedDataError.self) { try read() }
        blob.removeLast(2)
        #expect(throws: SignedDataError.self) { try read() }
        blob.removeLast(5)
        #expect(throws: SignedDataError.self) { try read() }
    }

    @Test func `lists in one line, bare words and any white space are read`() {
        let info = Base64.encode(Array(#"{bid=com.example.app;"transaction-id" = 7}"#.utf8))
        #expect(code("{signature=AA;\t\"purchase-info\"\r\n=\"\(info)\";}\n") == nil)
    }

    @Test(arguments: [
        "", "{", "}", "{}", "{\"signature\" = \"AA\";}", "{\"a\" \"b\";}", "{\"a\" = \"b\"",
        "{\"a\" = \"b\"; \"a\" = \"c\";}", "{\"a\" = \"\\", "{\"a\" = \"b\" \"c\" = \"d\"}",
        "{\"signature\" = \"!\"; \"purchase-info\" = \"AA\";}",
    ])
    func `broken lists are refused`(_ text: String) {
        #expect(code(text) == .malformedLegacyReceipt)
    }

    @Test func `lists have limits`() {
        let entries = (0..<300).map { "a\($0) = b;" }.joined()
        #expect(code("{\(entries)}") == .tooMany)
        #expect(code("{a = \"" + String(repeating: "b", count: 1 << 20) + "\"}") == .tooLarge)
    }
}
