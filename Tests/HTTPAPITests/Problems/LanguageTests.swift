import Testing

@testable import HTTPAPI

@Suite("Accept-Language")
struct LanguageTests {
    @Test(
        "The supported language with the highest weight is chosen, then the first, then English",
        arguments: [
            (nil, Language.english), ("", .english), ("en", .english), ("en-US,en;q=0.9", .english), ("zh", .chinese),
            ("zh-Hans", .chinese), ("zh-CN,zh;q=0.9,en;q=0.8", .chinese), ("ZH-hans", .chinese), ("fr,zh;q=0.5,en;q=0.4", .chinese),
            ("fr", .english), ("*", .english), ("en;q=0.1, zh;q=0.2", .chinese), ("zh;q=0", .english), ("zh;q=x", .english),
            ("zh,en", .chinese), ("en,zh", .english), (";;;,,,=", .english),
        ] as [(String?, Language)])
    func chosen(_ header: String?, _ language: Language) {
        #expect(Language(accepting: header) == language)
    }
}
