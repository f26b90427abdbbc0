import Foundation
import Testing

@testable import TillServer

/// What passes as a body, and beside each thing accepted its nearest neighbour that must not.
@Suite struct StrictJSONTests {
    private func fault(_ text: String, depth: Int = 32) -> JSONFault.Code? {
        fault([UInt8](text.utf8), depth: depth)
    }

    private func fault(_ bytes: [UInt8], depth: Int = 32) -> JSONFault.Code? {
        do throws(JSONFault) {
            _ = try StrictJSON.read(Data(bytes), depth: depth)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [
        "{}", " {\"a\" : [1, -0.5e+3, true, false, null, \"x\\u0041\\ud83d\\ude00\\n\"] }\n",
        "{\"a\":{\"a\":1},\"b\":{\"a\":2}}", "{\"é\":\"ü\"}",
    ])
    func `plain objects pass`(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(arguments: [
        ("", JSONFault.Code.empty), ("   ", .empty), ("[]", .notAnObject), ("1", .notAnObject),
        ("{\"a\":1,\"a\":2}", .repeatedName), ("{\"a\":1,\"\\u0061\":2}", .repeatedName),
        ("{\"a\":\"\\u0000\"}", .nulCharacter), ("{\"a\":\"\\ud800\"}", .loneSurrogate),
        ("{\"a\":\"\\udc00\\ud800\"}", .loneSurrogate),
        ("{\"a\":\"\\ud800\\u0041\"}", .loneSurrogate),
        ("{} x", .trailingBytes), ("{}{}", .trailingBytes), ("{\"a\":01}", .syntax),
        ("{\"a\":+1}", .syntax), ("{\"a\":.5}", .syntax), ("{\"a\":1.}", .syntax),
        ("{\"a\":NaN}", .syntax), ("{\"a\":tru}", .syntax), ("{\"a\":1,}", .syntax),
        ("{'a':1}", .syntax), ("{\"a\":\"\t\"}", .syntax), ("{\"a\":\"\\x\"}", .syntax),
        ("{\"a\":\"\\u12\"}", .syntax), ("{\"a\":\"x", .syntax), ("{\"a\" 1}", .syntax),
        ("{\"a\":[1 2]}", .syntax), ("{// c\n}", .syntax),
    ])
    func `everything else is refused by its name`(text: String, code: JSONFault.Code) {
        #expect(fault(text) == code)
    }

    @Test func `a byte order mark before everything is passed over, and nowhere else`() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(fault(mark + Array(#" {"a":1}"#.utf8)) == nil)
        #expect(fault(mark) == .empty)
        #expect(fault(mark + mark + Array("{}".utf8)) == .notAnObject)
        #expect(fault(Array(" ".utf8) + mark + Array("{}".utf8)) == .notAnObject)
        #expect(fault(Array("{".utf8) + mark + Array("}".utf8)) == .syntax)
    }

    @Test func `other encodings and broken UTF-8 are refused`() {
        #expect(fault(Array("{\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)) == .notUTF8)
        #expect(
            fault(Array("{\"a\":\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"}".utf8)) == .notUTF8)
        #expect(fault([0xFF, 0xFE, 0x7B, 0x00]) == .notUTF8)
        #expect(fault([0x7B, 0x00, 0x7D, 0x00]) == .syntax)
        #expect(fault(Array("{\"a\":\"".utf8) + [0x00] + Array("\"}".utf8)) == .nulCharacter)
    }

    /// Eight bytes are looked at together, so each place among them must be seen.
    @Test func `whatever stands anywhere in a text is seen`() throws {
        let specials: [(text: String, code: JSONFault.Code?)] = [
            ("\\\\", nil), ("\\\"", nil), ("\\u00e9", nil), ("é", nil), ("金", nil), ("\u{7F}", nil),
            ("\u{80}", nil), (" ", nil), ("!", nil), ("#", nil), ("[", nil), ("]", nil),
            ("\u{1F}", .syntax),
            ("\u{1}", .syntax), ("\0", .nulCharacter), ("\"", .syntax), ("\\q", .syntax),
        ]
        for length in 0..<26 {
            for place in 0...length {
                for special in specials {
                    let text =
                        String(repeating: "a", count: place) + special.text
                        + String(repeating: "Z", count: length - place)
                    let body = "{\"n\":[\"\(text)\",1]}"
                    #expect(fault(body) == special.code, "\(body)")
                    guard special.code == nil else { continue }
                    let tape = try StrictJSON.read(Data(body.utf8), depth: 4)
                    let theirs = try JSONSerialization.jsonObject(with: Data(body.utf8))
                    let list = (theirs as? [String: [Any]])?["n"]
                    #expect(tape.text(at: 3) == list?.first as? String, "\(body)")
                }
            }
        }
    }

    @Test func `a name is repeated however many stand between`() {
        for count in 1...40 {
            let members = (0..<count).map { "\"n\($0)\":\($0)" }
            #expect(fault("{\(members.joined(separator: ","))}") == nil)
            for place in 0..<count {
                let more = members + ["\"n\(place)\":0"]
                #expect(fault("{\(more.joined(separator: ","))}") == .repeatedName)
            }
        }
    }

    @Test func `depth is counted in arrays and objects`() {
        func nested(_ depth: Int) -> String {
            "{\"a\":" + String(repeating: "[", count: depth - 1)
                + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(fault(nested(32)) == nil)
        #expect(fault(nested(33)) == .tooDeep)
        #expect(fault(nested(200_000)) == .tooDeep)
    }
}
