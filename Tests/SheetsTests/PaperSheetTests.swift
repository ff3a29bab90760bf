import Sheets
import Testing

/// Printed sheets of paper cards.
@Suite struct PaperSheetTests {
    private static func sheet(_ shop: String = "茶颜 Green Tea", goal: Int = 10, lastDay: String? = "2026-12-31") -> PaperSheet {
        PaperSheet(shop: shop, campaign: "十杯送一", reward: "any tea", goal: goal, lastDay: lastDay, created: "2026-11-25T09:00:01Z")
    }

    private static func cards(_ count: Int) -> [PaperSheet.Card] {
        (0..<count).map { number in
            PaperSheet.Card(text: "K7QF-2M9X-0R3T-\(1_000 + number)", width: 29, modules: (0..<841).map { $0 % 3 == number % 3 })
        }
    }

    /// Counts a PDF's page objects.
    private static func pages(_ bytes: [UInt8]) -> Int {
        let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
        return text.matches(of: /\/Type \/Page[^s]/).count
    }

    @Test("Ten cards a page, and as few pages as that needs", arguments: [(1, 1), (10, 1), (11, 2), (20, 2), (500, 50)])
    func pages(_ count: Int, _ pages: Int) throws {
        let bytes = try #require(Self.sheet().pdf(Self.cards(count)))
        #expect(bytes.starts(with: Array("%PDF-".utf8)))
        #expect(Self.pages(bytes) == pages)
        // A sheet is sent as one answer, so its size must stay small.
        #expect(bytes.count < 8_000_000)
    }

    @Test("The same cards give the same bytes, and other cards give other bytes")
    func repeatable() throws {
        let (cards, sheet) = (Self.cards(11), Self.sheet())
        let bytes = try #require(sheet.pdf(cards))
        #expect(sheet.pdf(cards) == bytes)
        #expect(sheet.pdf(Self.cards(10)) != bytes)
        #expect(Self.sheet("Another").pdf(cards) != bytes)
        #expect(Self.sheet(lastDay: "2026-12-30").pdf(cards) != bytes)
        #expect(try #require(Self.sheet(lastDay: nil).pdf(cards)) != bytes)
        let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
        #expect(text.contains(/\/CreationDate \((D:)?20261125090001/))
    }

    @Test("Characters that no font has are named once each, also those behind a line's end, and no others")
    func missing() {
        let rare = "\u{13000}\u{12000}"
        #expect(Self.sheet().missingCharacters() == [])
        #expect(Self.sheet("茶 " + rare + rare).missingCharacters() == ["\u{13000}", "\u{12000}"])
        #expect(Self.sheet(String(repeating: "茶", count: 99) + rare).missingCharacters() == ["\u{13000}", "\u{12000}"])
        #expect(PaperSheet.missingFromFonts == [])
    }

    @Test("Words of any script and length, and any goal, are drawn", arguments: [0, 1, 5, 6, 10, 11, 50])
    func anyWords(_ goal: Int) throws {
        for shop in ["", "a", "مقهى الشاي", "चाय", "👩🏽‍🍳🍵", "\u{202E}abc\u{202C}", "<b>&amp;", String(repeating: "茶", count: 100), "e\u{301}"] {
            #expect(try Self.pages(#require(Self.sheet(shop, goal: goal).pdf(Self.cards(1)))) == 1)
        }
    }
}
