import Loyalty

/// The people and objects of the samples: a tea shop with an owner, a member of staff and customers, and a rival's shop.
enum Sample {
    static let owner = AccountID(1)
    static let staff = AccountID(2)
    static let customer = AccountID(3)
    static let stranger = AccountID(4)
    static let rival = AccountID(5)
    /// An account that is not registered.
    static let ghost = AccountID(99)

    static let shop = ShopID(10)
    static let rivalShop = ShopID(11)
    static let campaign = CampaignID(20)
    static let rivalCampaign = CampaignID(21)
    static let promotion = CampaignID(22)
    static let code = CodeID(30)
    static let card = CardID(400)
    static let redemption = RedemptionID(50)
    static let review = ReviewID(60)
    static let session = SessionID(70)
    static let notice = NoticeID(80)
    static let invitation = InvitationID(90)

    static let secret = Secret(1_000)
    static let redemptionSecret = Secret(2_000)
    static let place = Coordinate(latitude: 31.23, longitude: 121.47)

    static let start = Instant(microseconds: 1_700_000_000_000_000)
    static let campaignDays: Int64 = 30

    static func after(_ seconds: Int64) -> Instant { start.advanced(bySeconds: seconds) }
    static func afterDays(_ days: Int64) -> Instant { after(days * 86_400) }
}

extension Scenario {
    /// Everybody has registered, and no shop is open yet.
    static let registered = Scenario().given(
        [Sample.owner, Sample.staff, Sample.customer, Sample.stranger, Sample.rival].map { Sample.registered($0) })

    /// Both shops are open. The owner's shop has a member of staff, a running stamp card with a goal of ten, and a promotion.
    static let running = registered.given(
        Sample.shopOpened(), Sample.shopOpened(Sample.rivalShop, by: Sample.rival),
        Sample.published(), Sample.published(Sample.rivalCampaign, at: Sample.rivalShop),
        Sample.published(Sample.promotion, kind: .promotion)
    ).employing(Sample.staff)

    /// A code worth one stamp was issued; it is valid for ten minutes.
    static let codeShown = running.given(Sample.issued())

    /// The customer has a full card with ten stamps.
    static let cardFull = running.given(Sample.issued(stamps: 10), Sample.opened(), Sample.stamped(10))

    /// The customer has requested a redemption code.
    static let redemptionShown = cardFull.given(Sample.requested())
}
