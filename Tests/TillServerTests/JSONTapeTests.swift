import AppStoreModel
import Foundation
import Testing
import TillAPI

@testable import TillServer

/// What the tape's decoder makes of JSON, against what Foundation's makes of the same bytes.
@Suite struct JSONTapeTests {
    private struct Everything: Codable, Hashable {
        struct Inner: Codable, Hashable {
            let name: String?
            let flag: Bool
        }

        let text: String
        let whole: Int
        let wide: Int64
        let byte: UInt8
        let real: Double
        let small: Float
        let flag: Bool
        let absent: String?
        let null: Int?
        let list: [Inner]
        let nested: [[Int]]
        let members: [String: Inner]
        let value: JSONValue
        let id: UUID
        let product: ProductID
    }

    private static let everything = #"""
        {"text":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00 é","whole":-12,"wide":9223372036854775807,
         "byte":255,"real":-1.5e-3,"small":0.25,"flag":true,"null":null,
         "list":[{"name":null,"flag":false},{"flag":true,"name":"x"},{"flag":true}],
         "nested":[[],[1],[2,3]],"members":{"a\u0062":{"flag":true},"é":{"flag":false,"name":""}},
         "value":{"deep":[null,true,1,1.5,"t",{"x":[]}],"big":12345678901234567890},
         "id":"0B0A1C2D-3E4F-4A5B-8C6D-7E8F9A0B1C2D","product":"com.example.coins"}
        """#

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONTapeDecoder.decode(type, try StrictJSON.read(Data(text.utf8), depth: 32))
    }

    @Test func `values of every kind are what Foundation reads`() throws {
        let theirs = try JSONDecoder().decode(
            Everything.self, from: Data(Self.everything.utf8))
        #expect(try decode(Everything.self, Self.everything) == theirs)
        #expect(theirs.text == "a\"\\/\u{8}\u{C}\n\r\té😀 é")
    }

    @Test func `a whole value is the tree that Foundation reads`() throws {
        let tape = try StrictJSON.read(Data(Self.everything.utf8), depth: 32)
        let theirs = try JSONDecoder().decode(JSONValue.self, from: Data(Self.everything.utf8))
        #expect(tape.value() == theirs)
    }

    @Test func `an object of many members is read by its index`() throws {
        let members = Dictionary(
            uniqueKeysWithValues: (0..<5_000).map { ("name\($0)", $0) })
        let text = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
        #expect(try decode([String: Int].self, text) == members)
    }

    @Test(arguments: [
        (#"{"whole":1}"#, "keyNotFound", [String]()),
        (#"{"whole":"1","list":[]}"#, "typeMismatch", ["whole"]),
        (#"{"whole":null,"list":[]}"#, "valueNotFound", ["whole"]),
        (#"{"whole":1.5,"list":[]}"#, "dataCorrupted", ["whole"]),
        (#"{"whole":9223372036854775808,"list":[]}"#, "dataCorrupted", ["whole"]),
        (#"{"whole":1,"list":{}}"#, "typeMismatch", ["list"]),
        (#"{"whole":1,"list":[true,1]}"#, "typeMismatch", ["list", "Index 1"]),
        (#"{"whole":1,"list":[true,null]}"#, "valueNotFound", ["list", "Index 1"]),
    ])
    func `faults are named with their place`(
        text: String, kind: String, path: [String]
    ) throws {
        struct Shape: Decodable {
            let whole: Int
            let list: [Bool]
        }
        let error = #expect(throws: DecodingError.self) { try decode(Shape.self, text) }
        let (found, context): (String, DecodingError.Context) =
            switch try #require(error) {
            case .keyNotFound(_, let context): ("keyNotFound", context)
            case .typeMismatch(_, let context): ("typeMismatch", context)
            case .valueNotFound(_, let context): ("valueNotFound", context)
            case .dataCorrupted(let context): ("dataCorrupted", context)
            @unknown default: ("unknown", .init(codingPath: [], debugDescription: ""))
            }
        #expect(found == kind)
        #expect(context.codingPath.map(\.stringValue) == path)
    }

    @Test(arguments: [
        (#"{"a":{},"b":[],"c":[[],{"":[0,"x"]}]}"#, ["c", "Index 1", "", "Index 1"]),
        (#"{"a":[{"b":1},{"b":2}],"c":"x"}"#, ["c"]),
        (#"[[1,[2,[]]],{"a":[]},"x"]"#, ["Index 2"]),
    ])
    func `a place is told from among neighbours of every kind`(
        text: String, path: [String]
    ) throws {
        /// Decodes numbers alone, wherever they stand.
        struct Numbers: Decodable {
            init(from decoder: any Decoder) throws {
                if var list = try? decoder.unkeyedContainer() {
                    while !list.isAtEnd { _ = try list.decode(Numbers.self) }
                } else if let members = try? decoder.container(keyedBy: Name.self) {
                    for name in members.allKeys {
                        _ = try members.decode(Numbers.self, forKey: name)
                    }
                } else {
                    _ = try decoder.singleValueContainer().decode(Int.self)
                }
            }
        }
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        let whole = text.hasPrefix("{") ? text : "{\"w\":\(text)}"
        let error = #expect(throws: DecodingError.self) { try decode(Numbers.self, whole) }
        guard case .typeMismatch(_, let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let found = context.codingPath.map(\.stringValue)
        #expect(found == (text.hasPrefix("{") ? path : ["w"] + path))
    }

    @Test func `values of which every type is tried cost no look at their neighbours`() throws {
        // With one it would take minutes.
        let members = (0..<60_000).map { "\"n\($0)\":1" }.joined(separator: ",")
        let list = (0..<60_000).map { _ in "1" }.joined(separator: ",")
        let long = String(repeating: "x", count: 100_000)
        let text = "{\"a\":{\(members)},\"\(long)\":[\(list)]}"
        let value = try decode(JSONValue.self, text)
        guard case .object(let found)? = value["a"] else {
            Issue.record("no object")
            return
        }
        #expect(found.count == 60_000)
    }

    @Test func `whole numbers may be written as others`() throws {
        struct Shape: Decodable { let whole: Int }
        for text in ["1.0", "10e-1", "0.1e1"] {
            #expect(try decode(Shape.self, "{\"whole\":\(text)}").whole == 1)
        }
        #expect(try decode(Shape.self, "{\"whole\":-0}").whole == 0)
        #expect(throws: DecodingError.self) { try decode(Shape.self, "{\"whole\":1e400}") }
        #expect(throws: DecodingError.self) { try decode(Shape.self, "{\"whole\":true}") }
    }

    @Test func `a request is what Foundation reads`() throws {
        let text = #"""
            {"bundleId":"com.example.app","receipt":"AA==","signedTransactions":["a.b.c","d.e.f"],
             "orderId":"0b0a1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d","transactionIds":["1","2"],
             "restore":true,"track":{"campaign":"x","step":3,"paid":true,"share":0.5}}
            """#
        #expect(
            try decode(PurchaseRequest.self, text)
                == JSONDecoder().decode(PurchaseRequest.self, from: Data(text.utf8)))
    }
}
