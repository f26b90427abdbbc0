import HTTPMessage
import TestKit
import Testing

@Suite struct MessageTests {
    @Test(
        arguments: [
            ("", []),
            ("a=1", [["a", "1"]]),
            ("a=1&a=2&b", [["a", "1"], ["a", "2"], ["b", ""]]),
            ("a=1=2&&=x", [["a", "1=2"], ["", "x"]]),
            ("a+b=c%20d+%2B%26", [["a b", "c d +&"]]),
            ("%C3%A4=%F0%9F%92%B0", [["ä", "💰"]]),
        ] as [(String, [[String]])])
    func `a query is read as forms write it`(_ text: String, _ pairs: [[String]]) throws {
        let query = try #require(HTTPQuery(decoding: text))
        #expect(query.all.map { [$0.name, $0.value] } == pairs)
        let again = try #require(HTTPQuery(decoding: query.encoded))
        #expect(again == query)
    }

    @Test(arguments: ["a=%", "a=%4", "a=%zz", "%ff=1", "a=%c3"])
    func `a query that is broken is none`(_ text: String) {
        #expect(HTTPQuery(decoding: text) == nil)
        #expect(HTTPRequest(method: .get, target: "/?\(text)").query == nil)
    }

    @Test func `a query has so many pairs and no more`() {
        let most = Array(repeating: "a", count: HTTPQuery.pairLimit).joined(separator: "&")
        #expect(HTTPQuery(decoding: most)?.all.count == HTTPQuery.pairLimit)
        #expect(HTTPQuery(decoding: most + "&a") == nil)
    }

    @Test func `a target is path and query`() {
        let request = HTTPRequest(method: .get, target: "/a?b=c?d")
        #expect(request.path == "/a" && request.query?["b"] == "c?d")
        let plain = HTTPRequest(method: .get, target: "/a")
        #expect(plain.path == "/a" && plain.query == HTTPQuery())
    }

    @Test(arguments: ["", "a b", "a:", "a\r\nb", "ä", "a\0", "(a)", "a\u{7F}"])
    func `a name that is no token does not get in`(_ name: String) {
        var fields = HTTPFields()
        let isIn = fields.append(name, "x")
        #expect(!isIn && fields.all.isEmpty)
        fields.append("a-b.c_d!", "x")
        #expect(fields["A-B.C_D!"] == "x")
    }

    @Test(arguments: ["a\r\nb: c", "a\nb", "a\0b", "a\u{7F}", "\u{1}"])
    func `a value with control characters does not get in`(_ value: String) {
        var fields = HTTPFields()
        let isIn = fields.append("a", value)
        #expect(!isIn && fields.all.isEmpty)
        fields.append("a", "ä\tb")
        #expect(fields["A"] == "ä\tb")
    }

    @Test(arguments: [("", ""), (" ", ""), ("\t a b \t", "a b"), ("a", "a"), (" ä ", "ä")])
    func `white space around a value is not part of it`(_ value: String, _ trimmed: String) {
        let fields: HTTPFields = ["A": value]
        #expect(fields["a"] == trimmed)
    }

    @Test func `a date is read in the form that HTTP writes, and its neighbours are none`() {
        #expect(HTTPDate.secondsSinceEpoch("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.secondsSinceEpoch("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
        for text in [
            "", "0", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        ] {
            #expect(HTTPDate.secondsSinceEpoch(text) == nil, "\(text)")
        }
    }
}
