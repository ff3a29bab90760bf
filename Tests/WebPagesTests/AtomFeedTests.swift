import Loyalty
import Testing

@testable import WebPages

@Suite struct AtomFeedTests {
    private static let moment = Instant(microseconds: 1_795_645_800_000_000)

    private static func feed(_ text: String, entries: Int = 1) -> AtomFeed {
        let entry = AtomFeed.Entry(
            name: "camp_1", title: text, text: text, author: text, page: "https://tea.example/c/camp_1?a=1&b=2", at: moment)
        return AtomFeed(
            name: "shop_1", title: text, author: text, address: "https://tea.example/s/shop_1/feed.atom",
            page: "https://tea.example/s/shop_1",
            since: Instant(microseconds: 0), entries: Array(repeating: entry, count: entries))
    }

    @Test("A feed has what RFC 4287 requires, each text once and in its place")
    func document() {
        #expect(
            Self.feed("Tea").document == """
                <?xml version="1.0" encoding="utf-8"?>
                <feed xmlns="http://www.w3.org/2005/Atom">
                <id>tag:greentea.dev,2026:shop_1</id>
                <title>Tea</title>
                <updated>2026-11-25T22:30:00.000Z</updated>
                <link rel="self" type="application/atom+xml" href="https://tea.example/s/shop_1/feed.atom"/>
                <link rel="alternate" type="text/html" href="https://tea.example/s/shop_1"/>
                <author><name>Tea</name></author>
                <entry><id>tag:greentea.dev,2026:camp_1</id><title>Tea</title><updated>2026-11-25T22:30:00.000Z</updated>\
                <link rel="alternate" type="text/html" href="https://tea.example/c/camp_1?a=1&amp;b=2"/><author><name>Tea</name></author>\
                <summary>Tea</summary></entry>
                </feed>

                """)
        #expect(Self.feed("Tea", entries: 0).document.contains("<updated>1970-01-01T00:00:00.000Z</updated>"))
    }

    @Test(
        "Whatever people write is text in a feed",
        arguments: [
            "<b>bold</b>", "</title><script>alert(1)</script>", "]]>", "&lt;", "\"' onclick=", "<!--", "<?xml?>",
            "\"\u{301}<\u{301}&\u{301}",
        ])
    func markup(_ text: String) {
        let document = Self.feed(text).document
        let tags = document.split(separator: "<").dropFirst().map { String($0.prefix { !" >/".contains($0) }) }
        let known: Set = ["?xml", "feed", "id", "title", "updated", "link", "author", "name", "entry", "summary", ""]
        #expect(Set(tags).isSubset(of: known), "\(tags)")
        #expect(document.split(separator: "<").count == Self.feed("Tea").document.split(separator: "<").count)
        #expect(!document.contains("]]>") && document.unicodeScalars.count { $0 == "&" } >= 1)
    }

    @Test("A character that XML has no form for is replaced")
    func controls() {
        #expect(XMLText.escaped("a\u{0}b\u{8}c\u{B}d\u{FFFE}e\rf") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}f")
        #expect(XMLText.escaped("tab\tline\n🧋") == "tab\tline\n🧋")
    }
}
