import Loyalty
import Testing

@Suite struct TextLimitTests {
    private let line = TextLimit(scalars: 1...5)

    @Test(arguments: ["a", "abcde", "茶茶茶茶茶", "🧋🧋🧋🧋🧋", "مقهى", "e\u{301}", " a ", "\u{E000}"])
    func good(_ text: String) {
        #expect(line.complaint(about: text) == nil)
    }

    @Test func scalarsAreCountedNotGraphemes() {
        let family = "👨‍👩‍👧"
        #expect(family.count == 1 && family.unicodeScalars.count == 5)
        #expect(line.complaint(about: family) == nil)
        #expect(line.complaint(about: family + "!") == "must be 1 to 5 characters")
    }

    @Test(arguments: ["\u{0}", "\u{7}", "\u{1F}", "\u{7F}", "\u{80}", "\u{9F}", "\n", "\t", "\r", "\r\n", "\u{2028}", "\u{2029}"])
    func noControlCharacters(_ control: String) {
        #expect(line.complaint(about: "a" + control) == "must have no control characters")
    }

    @Test(arguments: [" ", "\u{A0}", "\u{3000}", "\u{200B}", "\u{FEFF}", "\u{2060}", "\u{202E}", "\u{3164}", "\u{FE0F}", "\u{20DD}"])
    func invisibleAloneIsNothing(_ text: String) {
        #expect(line.complaint(about: text) == "must have at least one visible character")
        #expect(line.complaint(about: text + "a") == nil)
    }

    @Test func linesWhereTheyAreAllowed() {
        let lines = TextLimit(scalars: 0...9, allowsLines: true)
        #expect(lines.complaint(about: "a\r\n\tb\u{2028}c") == nil)
        #expect(lines.complaint(about: "") == nil)
        #expect(lines.complaint(about: "a\u{8}") == "must have no control characters except line ends and tabs")
    }

    /// The largest event is a campaign; its texts must leave most of a record's 65,535 bytes to the rest.
    @Test func everyEventStaysFarBelowTheRecordLimit() {
        let campaign = [Limits.title, Limits.details, Limits.stampCardReward].map(\.utf8BytesMax).reduce(0, +)
        let shop = Limits.shopName.utf8BytesMax + Limits.shopAddress.utf8BytesMax + Limits.shopPhoneCharacters.upperBound
        #expect(campaign == 8_800)
        #expect(max(campaign, shop, Limits.sealedTextBytes.upperBound, Limits.sealedPhoneBytesMax) < 65_535 / 7)
    }

    @Test func theNumbersOfTheContract() {
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
