import EventLog
import Testing

/// Tags made from texts. Their values are stored, so they must never change.
@Suite struct TextTagTests {
    @Test("A text's tag never changes") func golden() {
        #expect(Tag(TagKind(1), "c1").value == 0x13d44a30_f258e1bd_281d3333_82fd26d9)
        #expect(Tag(TagKind(2), "c1").value == 0x383b7dfe_ca13ce35_e3328530_c8dc67e9)
        #expect(Tag(TagKind(1), "").value == 0xfeac9e92_79001dde_b37953d0_b1331c5f)
        #expect(Tag(TagKind(255), "čaj ☕️").value == 0x32b14d0a_9fcd6bcc_5f297a19_43c13ef7)
        #expect(Tag(TagKind(7), "c1").kind == TagKind(7))
    }

    @Test("Texts are distinguished byte by byte") func different() {
        let texts = ["", " ", "c1", "C1", "c1 ", "c10", "c1\0", "\u{e9}", "e\u{301}", String(repeating: "c", count: 100_000)]
        let tags = texts.flatMap { text in (1...UInt8.max).map { Tag(TagKind($0), text) } }
        #expect(Set(tags.map(\.value)).count == texts.count * 255)
    }

    @Test("A rule for a kind of tag can be written as its name") func literalRule() {
        #expect(("course" as TagKindRule) == TagKindRule(name: "course", isIndexed: true))
    }
}
