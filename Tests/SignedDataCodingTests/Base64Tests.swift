import Foundation
import SignedDataCoding
import TestKit
import Testing

struct `Base64 in all its forms` {
    @Test(arguments: [UInt64(1), 2, 3])
    func `both alphabets agree with Foundation for every length`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for length in 0...200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let expected = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == expected)
            #expect(Base64.decodeStandard(Array(expected.utf8)) == bytes)
            let url = expected.replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
            #expect(Base64.encode(bytes, .url) == url)
            #expect(Base64.decodeURL(Array(url.utf8)) == bytes)
            #expect(Base64.decodeLenient(Array(url.utf8)[...]) == bytes)
        }
    }

    @Test(arguments: ["+/+/", "AA==", "A", "AB=", "A-B*", "AB", "AAAA ", "Ā", "AAB"])
    func `base64url takes nothing but its own`(_ text: String) {
        // "AB" and "AAB" leave bits that no encoder writes.
        #expect(Base64.decodeURL(Array(text.utf8)) == nil)
    }

    @Test func `base64url takes what is whole`() {
        #expect(Base64.decodeURL(Array("AA".utf8)) == [0])
        #expect(Base64.decodeURL(Array("AAA".utf8)) == [0, 0])
        #expect(Base64.decodeURL([]) == [])
    }

    @Test(arguments: ["AA", "AA=", "A===", "AAAA=", "AA==AA==", "AA-_", "AA A", "AB=="])
    func `exact base64 takes nothing but its own`(_ text: String) {
        #expect(Base64.decodeStandard(Array(text.utf8)) == nil)
    }

    @Test(arguments: ["AAE=", "AAE", " AAE=\r\n", "A\nAE=", "AAF=", "AAE==", "AAE==="])
    func `lenient base64 takes white space, missing padding and stray bits`(_ text: String) {
        #expect(Base64.decodeLenient(Array(text.utf8)[...]) == [0, 1])
    }

    @Test(arguments: ["AAE=A", "A", "AAE!", "AAAA====="])
    func `lenient base64 refuses what no encoder writes`(_ text: String) {
        #expect(Base64.decodeLenient(Array(text.utf8)[...]) == nil)
    }
}

struct `Compact JWS` {
    private func code(_ text: String) -> SignedDataError.Code? {
        do {
            _ = try CompactJWS(decoding: text).header()
            return nil
        } catch { return error.code }
    }

    private func jws(header: String) -> String {
        CompactJWS(header: Array(header.utf8), payload: Array("{}".utf8), signature: [1, 2, 3]).text
    }

    @Test func `a value is taken apart and put together`() throws {
        let header = JWSHeader(algorithm: "ES256", certificates: [[1, 2], [3]])
        #expect(
            String(decoding: header.encoded, as: UTF8.self)
                == #"{"alg":"ES256","x5c":["AQI=","Aw=="]}"#)
        let made = CompactJWS(header: header.encoded, payload: [123, 125], signature: [9])
        let read = try CompactJWS(decoding: made.text)
        #expect(read == made)
        #expect(try read.header() == header)
        #expect(read.payload == [123, 125])
        #expect(read.signature == [9])
        #expect(
            Array(read.signingInput)
                == CompactJWS.signingInput(header: header.encoded, payload: [123, 125]))
        #expect(made.text.hasPrefix(String(decoding: read.headerSegment, as: UTF8.self) + "."))
    }

    @Test(arguments: [
        "", ".", "..", "e30.e30", "e30..AQ", "e30.e30.AQ==", "e30.e30.AQ.AQ", "e30.e3$.AQ",
    ])
    func `what is not three parts of base64url is refused`(_ text: String) {
        #expect(code(text) == (text.isEmpty ? .empty : .malformedJWS))
    }

    @Test func `headers are read strictly`() {
        #expect(code(jws(header: #"{"alg":"ES256"}"#)) == nil)
        #expect(code(jws(header: #" { "alg" : "ES256" , "x5c" : [ ] } "#)) == nil)
        #expect(code(jws(header: #"{"alg":"none","alg":"ES256"}"#)) == .duplicateHeaderName)
        #expect(code(jws(header: #"{"alg":"none","\u0061lg":"ES256"}"#)) == .duplicateHeaderName)
        #expect(code(jws(header: #"{"alg":1}"#)) == .malformedJWSHeader)
        #expect(code(jws(header: #"{"alg":"ES256","x5c":["!"]}"#)) == .malformedJWSHeader)
        #expect(code(jws(header: #"{"alg":"ES256","x5c":"AQ=="}"#)) == .malformedJWSHeader)
        #expect(code(jws(header: #"["alg"]"#)) == .malformedJWSHeader)
        #expect(code(jws(header: #"{"alg":"ES256"} x"#)) == .malformedJWSHeader)
        #expect(code(jws(header: #"{"alg":"ES256",}"#)) == .malformedJWSHeader)
        let many = Array(repeating: #""AQ==""#, count: 9).joined(separator: ",")
        #expect(code(jws(header: #"{"alg":"ES256","x5c":[\#(many)]}"#)) == .tooMany)
        // A stranger's header of a megabyte must not cost seconds.
        func named(_ count: Int) -> String {
            "{" + (0..<count).map { "\"name\($0)\":0" }.joined(separator: ",") + "}"
        }
        #expect(code(jws(header: named(32))) == nil)
        #expect(code(jws(header: named(33))) == .tooMany)
        #expect(code(jws(header: named(50_000))) == .tooMany)
    }

    @Test func `escaped slashes in certificates and critical extensions are seen`() throws {
        let header = try CompactJWS(
            decoding: jws(header: #"{"alg":"ES256","x5c":["\/\/8="],"crit":["b64"]}"#)
        ).header()
        #expect(header.certificates == [[0xff, 0xff]])
        #expect(header.hasCriticalExtensions)
    }
}
