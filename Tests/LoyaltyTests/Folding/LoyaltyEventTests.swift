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

    @Test(arguments: signIns)
    func aSignInConcernsNoShop(_ event: LoyaltyEvent) {
        #expect(event.shop == nil && event.card == nil && event.holder == nil)
    }

    @Test(arguments: ofTheShop)
    func whatAShopDoesConcernsNoCard(_ event: LoyaltyEvent) {
        #expect(event.shop == Sample.shop && event.card == nil && event.holder == nil)
    }

    @Test(arguments: ofTheCard)
    func whatHappensToACardConcernsItsHolderAndShop(_ event: LoyaltyEvent) {
        #expect(event.shop == Sample.shop && event.card == Sample.card && event.holder == Sample.customer)
    }
}
