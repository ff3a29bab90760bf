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

    @Test("US Letter has eight cards a page, and only its regions print on it", arguments: [(8, 1), (9, 2), (500, 63)])
    func letter(_ count: Int, _ pages: Int) throws {
        let sheet = PaperSheet(
            shop: "Tea", campaign: "Ten", reward: "tea", goal: 10, lastDay: nil, created: "2026-11-25T09:00:01Z", paper: .letter)
        let bytes = try #require(sheet.pdf(Self.cards(count)))
        #expect(Self.pages(bytes) == pages)
        #expect(String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self).contains(/\/MediaBox \[ ?0 0 612 792 ?\]/))
        #expect(["US", "CA", "MX", "PH"].allSatisfy { PaperSize(region: $0) == .letter })
        #expect(["CN", "GB", "DE", "us", ""].allSatisfy { PaperSize(region: $0) == .a4 } && PaperSize(region: nil) == .a4)
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

    @Test("The color of a shop changes its sheets, the same way every time")
    func colors() throws {
        func pdf(_ color: [UInt8]?) throws -> [UInt8] {
            let sheet = PaperSheet(
                shop: "茶", campaign: "十杯送一", reward: "any tea", goal: 10, lastDay: nil, created: "2026-11-25T09:00:01Z", color: color)
            return try #require(sheet.pdf(Self.cards(3)))
        }
        #expect(try pdf([190, 35, 35]) == pdf([190, 35, 35]))
        #expect(try pdf([190, 35, 35]) != pdf([4, 112, 98]) && pdf([190, 35, 35]) != pdf(nil))
    }

    @Test("Characters that no font has are named once each, also those behind a line's end, and no others")
    func missing() {
        let rare = "\u{13000}\u{12000}"
        let missing = Self.sheet().missingCharacters()
        #expect(missing.shop.isEmpty && missing.campaign.isEmpty)
        #expect(Self.sheet("茶 " + rare + rare).missingCharacters().shop == ["\u{13000}", "\u{12000}"])
        #expect(Self.sheet(String(repeating: "茶", count: 99) + rare).missingCharacters().shop == ["\u{13000}", "\u{12000}"])
        #expect(PaperSheet.missingFromFonts == [])
    }

    @Test("Words of any script and length, and any goal, are drawn", arguments: [0, 1, 5, 6, 10, 11, 50])
    func anyWords(_ goal: Int) throws {
        for shop in ["", "a", "مقهى الشاي", "चाय", "👩🏽‍🍳🍵", "\u{202E}abc\u{202C}", "<b>&amp;", String(repeating: "茶", count: 100), "e\u{301}"] {
            #expect(try Self.pages(#require(Self.sheet(shop, goal: goal).pdf(Self.cards(1)))) == 1)
        }
    }
}
