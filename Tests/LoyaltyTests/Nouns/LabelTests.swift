import Loyalty
import Testing
import World

/// Managers name the people of a shop for one another.
@Suite struct LabelTests {
    private static func labeled(_ label: TypedText, _ account: AccountID = Sample.staff) -> LoyaltyEvent {
        .staffLabeled(StaffLabeled(shop: Sample.shop, account: account, label: label))
    }

    private static let managed = Scenario.running.given(Sample.joined(Sample.rival, role: .manager))

    @Test("A manager names a member, and takes the name away; a repetition records nothing")
    func names() {
        let named = Self.managed.when(Sample.label(Sample.staff, "阿美 Mei"), by: Sample.rival).then(Self.labeled("阿美 Mei"))
        named.when(Sample.label(Sample.staff, "阿美 Mei"), by: Sample.owner).thenNothing()
        let other = named.when(Sample.label(Sample.staff, "Lin"), by: Sample.owner).then(Self.labeled("Lin"))
        let bare = other.when(Sample.label(Sample.staff, ""), by: Sample.owner).then(Self.labeled(""))
        bare.when(Sample.label(Sample.staff, ""), by: Sample.owner).thenNothing()
        Scenario.running.when(Sample.label(Sample.staff, ""), by: Sample.owner).thenNothing()
    }

    @Test("Counter staff and strangers name nobody, and the owner's name is the owner's choice")
    func rights() {
        Scenario.running.when(Sample.label(Sample.staff, "Mei"), by: Sample.staff).thenRejected(.roleRequired)
        Scenario.running.when(Sample.label(Sample.staff, "Mei"), by: Sample.customer).thenRejected(.forbidden)
        Self.managed.when(Sample.label(Sample.owner, "Boss"), by: Sample.rival).thenRejected(.roleRequired)
        Self.managed.when(Sample.label(Sample.owner, "Boss"), by: Sample.owner).then(Self.labeled("Boss", Sample.owner))
        Scenario.running.when(Sample.label(Sample.staff, "Mei", at: ShopID(19)), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("Only people of the shop are named; a former member's name can be taken away")
    func people() {
        Scenario.running.when(Sample.label(Sample.customer, "Mei"), by: Sample.owner).thenRejected(.notFound)
        let gone = Scenario.running.given(Self.labeled("Mei"), Sample.left())
        gone.when(Sample.label(Sample.staff, "Lin"), by: Sample.owner).thenRejected(.notFound)
        gone.when(Sample.label(Sample.staff, ""), by: Sample.owner).then(Self.labeled(""))
    }

    @Test("A name has 1 to 50 characters and no text that reverses or hides what is beside it")
    func texts() {
        for text in [String(repeating: "茶", count: 51), "\u{202E}ieM", "Mei\nLin", "\u{200B}", "\u{FFFF}"] {
            Scenario.running.when(Sample.label(Sample.staff, .clear(text)), by: Sample.owner).thenInvalid("label")
        }
        Scenario.running.when(Sample.label(Sample.staff, .clear(String(repeating: "茶", count: 50))), by: Sample.owner).thenAccepted()
    }

    @Test("A suspended shop names nobody")
    func suspended() {
        Scenario.running.given(Sample.suspended()).when(Sample.label(Sample.staff, "Mei"), by: Sample.owner).thenRejected(.suspended)
    }
}
