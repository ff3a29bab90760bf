import Loyalty
import LoyaltyCodec
import Seeds
import Testing

/// Tests the vectors of the TypeID specification (`valid.yml`, `invalid.yml`) and the ids of this service.
struct TypeIDTests {
    @Test(
        "A valid vector of the TypeID specification is printed and parsed",
        arguments: [
            ("", 0, "00000000000000000000000000"),
            ("", 1, "00000000000000000000000001"),
            ("", 10, "0000000000000000000000000a"),
            ("", 16, "0000000000000000000000000g"),
            ("", 32, "00000000000000000000000010"),
            ("", UInt128.max, "7zzzzzzzzzzzzzzzzzzzzzzzzz"),
            ("prefix", 0, "prefix_00000000000000000000000000"),
            ("prefix", 0x0110_C853_1D09_52D8_D73E_1194_E95B_5F19, "prefix_0123456789abcdefghjkmnpqrs"),
            ("prefix", 0x0189_0A5D_AC96_774B_BCCE_B302_099A_8057, "prefix_01h455vb4pex5vsknk084sn02q"),
            ("pre_fix", 0, "pre_fix_00000000000000000000000000"),
        ] as [(String, UInt128, String)])
    func validVectors(_ prefix: String, _ value: UInt128, _ text: String) throws {
        #expect(TypeID.text(prefix, value) == text)
        let parsed = try #require(TypeID.parse(text))
        #expect(parsed.prefix == prefix)
        #expect(parsed.value == value)
    }

    @Test(
        "An invalid TypeID is refused",
        arguments: [
            "PREFIX_00000000000000000000000000", "12345_00000000000000000000000000", "pre.fix_00000000000000000000000000",
            "préfix_00000000000000000000000000", "  prefix_00000000000000000000000000",
            String(repeating: "a", count: 64) + "_00000000000000000000000000", "_00000000000000000000000000", "_",
            "prefix_1234567890123456789012345", "prefix_123456789012345678901234567", "prefix_1234567890123456789012345 ",
            "prefix_0123456789ABCDEFGHJKMNPQRS", "prefix_123456789-123456789-123456", "prefix_ooooooiiiiiiuuuuuuulllllll",
            "prefix_i23456789ol23456789oi23456", "prefix_123456789-0123456789-0123456", "prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz",
            "_prefix_00000000000000000000000000", "prefix__00000000000000000000000000", "", "prefix_", "prefix",
            "8zzzzzzzzzzzzzzzzzzzzzzzzz", "prefix-00000000000000000000000000", "prefix_0000000000000000000000000\0",
            "prefix_0000000000000000000000000é", "prefix00000000000000000000000000",
        ])
    func invalidVectors(_ text: String) {
        #expect(TypeID.parse(text) == nil)
    }

    @Test("A prefix of 63 characters is read")
    func longestPrefixIsRead() {
        let prefix = String(repeating: "a", count: 63)
        #expect(TypeID.parse(TypeID.text(prefix, 5))?.prefix == prefix)
    }

    @Test("A random id is read back from its text")
    func randomIDs() {
        var events = RandomEvents(random: SeededRandom(seed: Seed.value &+ 9))
        for _ in 0..<2_000 {
            let card: CardID = events.id()
            #expect(CardID(text: card.text) == card)
            #expect(TypeID.parse(card.text)?.value == card.value)
        }
    }

    @Test("The texts of ids sort like their numbers")
    func sortOrder() {
        var events = RandomEvents(random: SeededRandom(seed: Seed.value &+ 10))
        for _ in 0..<500 {
            let (left, right): (ShopID, ShopID) = (events.id(), events.id())
            #expect((left < right) == (left.text < right.text))
        }
    }

    @Test("The ids of accounts, shops, campaigns, codes, cards, redemptions, reviews and sessions have fixed prefixes")
    func eachNounHasItsPrefix() {
        #expect(AccountID(0).text == "acct_00000000000000000000000000")
        #expect(ShopID(0).text == "shop_00000000000000000000000000")
        #expect(CampaignID(0).text == "camp_00000000000000000000000000")
        #expect(CodeID(0).text == "code_00000000000000000000000000")
        #expect(CardID(0).text == "card_00000000000000000000000000")
        #expect(RedemptionID(0).text == "rdm_00000000000000000000000000")
        #expect(ReviewID(0).text == "rev_00000000000000000000000000")
        #expect(SessionID(0).text == "ses_00000000000000000000000000")
    }

    @Test(
        "A text that is not exactly a card's id is not read as one",
        arguments: [
            "shop_01h455vb4pex5vsknk084sn02q", "01h455vb4pex5vsknk084sn02q", "card01h455vb4pex5vsknk084sn02q",
            "card_01H455VB4PEX5VSKNK084SN02Q", "card_81h455vb4pex5vsknk084sn02q", "card__01h455vb4pex5vsknk084sn02q", "card_", "",
            "card_01h455vb4pex5vsknk084sn02", "card_01h455vb4pex5vsknk084sn02qq", "Card_01h455vb4pex5vsknk084sn02q",
            "cards01h455vb4pex5vsknk084sn02q", "card_01h455vb4pex5vsknk084sn02\u{E9}",
        ])
    func notACard(_ text: String) {
        #expect(CardID(text: text) == nil)
    }
}
