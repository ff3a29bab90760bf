import Testing
import WebPages

@Suite("Accept-Language")
struct LanguageTests {
    private static func expect(_ cases: [(header: String?, language: PageLanguage)]) {
        for (header, language) in cases { #expect(PageLanguage(accepting: header) == language, "\(header ?? "no header")") }
    }

    @Test("The supported language with the highest weight is chosen, then the first, then English")
    func weights() {
        Self.expect([
            (nil, .english), ("", .english), ("en", .english), ("zh", .chinese), ("zh-Hans", .chinese), ("ZH-hans", .chinese),
            ("fr", .english), ("fr,zh;q=0.5,en;q=0.4", .chinese), ("en;q=0.1, zh;q=0.2", .chinese), ("en ; Q=0.1 ,\tzh; q=0.2", .chinese),
            ("zh,en", .chinese), ("en,zh", .english), ("zh;q=1.000,en;q=0.999", .chinese), ("en;q=0.1,zh;q=0.1", .english),
        ])
    }

    @Test("A region or a script without words of its own gets those of its language")
    func regions() {
        Self.expect([
            ("en-US,en;q=0.9", .english), ("en-GB,zh;q=0.9,en;q=0.8", .english), ("zh-CN,zh;q=0.9,en;q=0.8", .chinese),
            ("zh-TW", .chinese), ("zh-Hant-HK, en;q=0.9", .chinese), ("zh-Hant;q=0.8, en;q=0.9", .english), ("zha, fr", .english),
        ])
    }

    @Test("A weight of 0 excludes a language that the most specific range names, and no other")
    func excluded() {
        Self.expect([
            ("zh;q=0", .english), ("en;q=0, *", .chinese), ("en;q=0.0, zh;q=0.1", .chinese), ("zh-Hans;q=0, zh", .english),
            ("zh;q=0, zh-Hans;q=0.1, en;q=0", .chinese), ("zh-TW;q=0, zh, en;q=0.5", .chinese), ("zh;q=0, *;q=0.1", .english),
        ])
    }

    @Test("A wildcard stands for each language that no other range names")
    func wildcard() {
        Self.expect([
            ("*", .english), ("fr, *;q=0.1", .english), ("en;q=0.1, *;q=0.5", .chinese), ("zh;q=0.1, *;q=0.5", .english),
            ("*;q=0, zh;q=0.1", .chinese), ("*;q=0", .english), ("zh-TW;q=0, en;q=0.5, *", .chinese),
        ])
    }

    @Test("What is no weight is 0, and a malformed header is English")
    func malformed() {
        Self.expect([
            ("zh;q=x", .english), ("zh;q=5", .english), ("zh;q=-1", .english), ("zh;q=nan", .english), ("zh;q=", .english),
            (";;;,,,=", .english), (String(repeating: "fr,", count: 32) + "zh", .english),
        ])
    }
}
