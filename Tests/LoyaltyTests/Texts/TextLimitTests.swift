import Loyalty
import Testing

@Suite struct TextLimitTests {
    private let line = TextLimit(scalars: 1...5)

    @Test(
        "A text of visible characters within the limit is accepted",
        arguments: ["a", "abcde", "茶茶茶茶茶", "🧋🧋🧋🧋🧋", "مقهى", "e\u{301}", " a ", "7", "★", "𝄞", "€", "☕", "a\u{E000}"])
    func good(_ text: String) {
        #expect(line.fault(in: text) == nil)
    }

    @Test("The length of a text is its number of Unicode scalars, not of graphemes")
    func countsScalars() {
        let family = "👨‍👩‍👧"
        #expect(family.count == 1 && family.unicodeScalars.count == 5)
        #expect(line.fault(in: family) == nil)
        #expect(line.fault(in: family + "!") == .characters(1...5))
    }

    @Test(
        "A name with a control character or a line break is rejected",
        arguments: ["\u{0}", "\u{7}", "\u{1F}", "\u{7F}", "\u{80}", "\u{9F}", "\n", "\t", "\r", "\r\n", "\u{2028}", "\u{2029}"])
    func noControlCharacters(_ control: String) {
        #expect(line.fault(in: "a" + control) == .controlCharacters(exceptLines: false))
    }

    @Test(
        "A name of invisible characters alone is rejected, and with a visible one it is accepted",
        arguments: [" ", "\u{A0}", "\u{3000}", "\u{200B}", "\u{FEFF}", "\u{2060}", "\u{2800}", "\u{3164}", "\u{FE0F}", "\u{20DD}"])
    func invisible(_ text: String) {
        #expect(line.fault(in: text) == .nothingVisible)
        #expect(line.fault(in: text + "a") == nil)
    }

    @Test(
        "A name needs a letter, a digit or a symbol that is assigned and leaves a mark",
        arguments: [
            "\u{1D159}", "\u{FFFC}", "\u{FFFD}", "\u{E000}", "\u{F0000}", "\u{378}", "\u{E0080}", "\u{13441}", "\u{115F}", "\u{16FE4}",
            "\u{301}", "!?…",
        ])
    func noName(_ text: String) {
        #expect(line.fault(in: text) == .nothingVisible)
        #expect(line.fault(in: text + "茶") == nil)
    }

    @Test("A longer text may consist of punctuation alone, but not of blanks")
    func onlyPunctuation() {
        let lines = TextLimit(scalars: 1...50, allowsLines: true)
        #expect(lines.fault(in: "?!") == nil)
        #expect(["\n\t", "\u{FFFC}", "\u{E000}\n"].allSatisfy { lines.fault(in: $0) == .nothingVisible })
    }

    @Test(
        "A name has no controls of writing direction",
        arguments: [
            "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}",
            "\u{2068}",
            "\u{2069}",
        ])
    func noDirections(_ control: String) {
        #expect(line.fault(in: "a" + control + "b") == .directionControls)
    }

    @Test("In a longer text every control of writing direction is closed on its line")
    func balancedDirections() {
        let lines = TextLimit(scalars: 1...50, allowsLines: true)
        let fault = FieldFault.openDirection
        for good in [
            "a\u{200E}b", "\u{202D}+86 21\u{202C}", "\u{2068}a\u{202B}b\u{202C}\u{2069}", "\u{2067}a\tb\u{2069}\n\u{2066}c\u{2069}",
        ] {
            #expect(lines.fault(in: good) == nil, "\(good.unicodeScalars.map(\.value))")
        }
        for bad in [
            "\u{202E}a", "a\u{202C}", "\u{2068}a\n\u{2069}", "\u{2068}a\u{202B}b\u{2069}\u{202C}", "\u{2067}a\u{202C}", "a\u{2069}",
        ] {
            #expect(lines.fault(in: bad) == fault, "\(bad.unicodeScalars.map(\.value))")
        }
    }

    @Test(
        "Code points that are no characters are refused",
        arguments: [0xFFFE, 0xFFFF, 0xFDD0, 0xFDEF, 0x1_FFFE, 0x10_FFFF] as [UInt32])
    func noncharacters(_ value: UInt32) throws {
        let text = "a" + String(try #require(Unicode.Scalar(value)))
        #expect(line.fault(in: text) == .noncharacters)
        #expect(TextLimit(scalars: 1...9, allowsLines: true).fault(in: text) == .noncharacters)
    }

    @Test("Line breaks and tabs are accepted where lines are allowed, and other control characters are not")
    func allowedLines() {
        let lines = TextLimit(scalars: 0...9, allowsLines: true)
        #expect(lines.fault(in: "a\r\n\tb\u{2028}c") == nil)
        #expect(lines.fault(in: "") == nil)
        #expect(lines.fault(in: "a\u{8}") == .controlCharacters(exceptLines: true))
    }

    /// The largest event is a campaign. Its texts must leave most of a record's 65,535 bytes free for the other fields.
    @Test("The texts of a campaign or a shop take less than a seventh of a record")
    func recordLimit() {
        let campaign = [Limits.title, Limits.details, Limits.stampCardReward].map(\.utf8BytesMax).reduce(0, +)
        let shop = Limits.shopName.utf8BytesMax + Limits.shopAddress.utf8BytesMax + Limits.shopPhoneCharacters.upperBound
        #expect(campaign == 8_800)
        #expect(max(campaign, shop, Limits.sealedTextBytes.upperBound, Limits.sealedPhoneBytesMax) < 65_535 / 7)
    }

    @Test("The limits have the values that the API contract states")
    func contractNumbers() {
        #expect(Limits.goalStamps == 1...50)
        #expect(Limits.codeStamps == 1...10)
        #expect(Limits.codeValiditySeconds == 1...86_400)
        #expect(Limits.codeValiditySecondsDefault == 600)
        #expect(Limits.redemptionValiditySeconds == 300)
        #expect(Limits.sessionValiditySeconds == 2_592_000)
        #expect(Limits.rating == 1...5)
        #expect(Limits.replyDepthMax == 8)
        #expect([Limits.shopName, Limits.title, Limits.stampCardReward].allSatisfy { $0.scalars == 1...100 && !$0.allowsLines })
        #expect(Limits.shopAddress.scalars == 1...200)
        #expect(Limits.details == TextLimit(scalars: 0...2_000, allowsLines: true))
    }
}
