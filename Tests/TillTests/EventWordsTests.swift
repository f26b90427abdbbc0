import Testing

@testable import Till

@Suite struct EventWordsTests {
    @Test(arguments: TillEvent.Kind.allCases)
    func `every event has words in both languages`(_ kind: TillEvent.Kind) {
        #expect(!kind.words.english.isEmpty)
        #expect(kind.words.english.allSatisfy(\.isASCII) || kind.words.english.hasSuffix("…"))
        #expect(kind.words.chinese.contains { !$0.isASCII })
        #expect(kind.words.chinese != kind.words.english)
    }

    @Test func `no two events say the same`() {
        let english = Set(TillEvent.Kind.allCases.map(\.words.english))
        let chinese = Set(TillEvent.Kind.allCases.map(\.words.chinese))
        #expect(english.count == TillEvent.Kind.allCases.count)
        #expect(chinese.count == TillEvent.Kind.allCases.count)
    }

    @Test(arguments: [
        (["zh-Hans-CN", "en"], MessageLanguage.simplifiedChinese),
        (["zh_CN.UTF-8"], .simplifiedChinese), (["fr-FR", "zh"], .simplifiedChinese),
        (["en-GB", "zh-Hans"], .english), (["zha", "fr"], .english), ([], .english),
    ])
    func `the person's first language that Till speaks is taken`(
        _ languages: [String], _ expected: MessageLanguage
    ) {
        #expect(MessageLanguage.preferred(among: languages) == expected)
    }
}
