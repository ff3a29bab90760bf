import EventLog
import LoyaltyCodec
import Testing

struct TagTextTests {
    private static let value: UInt128 = 0x0189_0A5D_AC96_774B_BCCE_B302_099A_8057
    private static let suffix = "01h455vb4pex5vsknk084sn02q"
    private static let digits = "01890a5dac96774bbcceb302099a8057"

    @Test(
        "A tag is printed with its kind and value, and is read back",
        arguments: [
            (TagKind.account, "account:acct_\(suffix)"), (.shop, "shop:shop_\(suffix)"), (.campaign, "campaign:camp_\(suffix)"),
            (.code, "code:code_\(suffix)"), (.card, "card:card_\(suffix)"), (.redemption, "redemption:rdm_\(suffix)"),
            (.review, "review:rev_\(suffix)"), (.session, "session:ses_\(suffix)"), (.parent, "parent:rev_\(suffix)"),
            (.thread, "thread:rev_\(suffix)"), (.codeSecret, "codeSecret:\(digits)"), (.redemptionSecret, "redemptionSecret:\(digits)"),
            (.phone, "phone:\(digits)"), (.request, "request:\(digits)"), (.digest, "digest:\(digits)"),
        ])
    func textComesBack(_ kind: TagKind, _ text: String) {
        #expect(EventTag(kind, Self.value).text == text)
        #expect(EventTag(text: text) == EventTag(kind, Self.value))
    }

    @Test("A tag is read without the prefix of its id")
    func noPrefix() {
        #expect(EventTag(text: "card:\(Self.suffix)") == EventTag(.card, Self.value))
        #expect(EventTag(text: "thread:\(Self.suffix)") == EventTag(.thread, Self.value))
    }

    @Test("A tag of an unknown kind is printed with the number of its kind")
    func unknownKind() {
        #expect(EventTag(TagKind(200), Self.value).text == "200:\(Self.digits)")
    }

    @Test(
        "A text that is no tag of a known kind is refused",
        arguments: [
            "", ":", "card", "card:", ":\(suffix)", "card:shop_\(suffix)", "Card:card_\(suffix)", "cards:card_\(suffix)",
            "card: card_\(suffix)", "card:card_\(suffix) ", "card:\(digits)", "phone:\(suffix)", "phone:\(digits)0", "phone:0",
            "phone:0x\(digits.dropFirst(2))", "phone:\(digits.dropLast())g", "200:\(digits)", "card:card:\(suffix)",
        ])
    func refusesTheRest(_ text: String) {
        #expect(EventTag(text: text) == nil)
    }
}
