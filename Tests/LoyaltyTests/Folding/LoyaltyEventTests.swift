import Loyalty
import Testing

@Suite struct LoyaltyEventTests {
    private static let signIns: [LoyaltyEvent] = [Sample.registered(Sample.owner), Sample.signedIn()]
    private static let ofTheShop: [LoyaltyEvent] = [
        Sample.shopOpened(), Sample.published(), Sample.ended(), Sample.issued(), Sample.destroyed(), Sample.reviewed(),
        Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1),
        Sample.shopEdited(), Sample.hired(), Sample.dismissed(), Sample.invited(), Sample.unInvited(), Sample.joined(),
        Sample.left(), Sample.suspended(), Sample.reinstated(), Sample.campaignEdited(), Sample.closed(redeemUntil: Sample.start),
        Sample.transferOffered(), Sample.transferLapsed(), Sample.transferred(),
    ]
    private static let ofTheCard: [LoyaltyEvent] = [
        Sample.opened(), Sample.stamped(), Sample.discarded(), Sample.requested(), Sample.redeemed(), Sample.reversed(),
        Sample.adjusted(-1),
    ]

    @Test("A registration or a sign-in concerns no shop, card or holder", arguments: signIns)
    func signIn(_ event: LoyaltyEvent) {
        #expect(event.shop == nil && event.card == nil && event.holder == nil)
    }

    @Test("An event of a shop concerns that shop, and no card or holder", arguments: ofTheShop)
    func shopEvent(_ event: LoyaltyEvent) {
        #expect(event.shop == Sample.shop && event.card == nil && event.holder == nil)
    }

    @Test("An event of a card concerns the card, its holder and its shop", arguments: ofTheCard)
    func cardEvent(_ event: LoyaltyEvent) {
        #expect(event.shop == Sample.shop && event.card == Sample.card && event.holder == Sample.customer)
    }
}
