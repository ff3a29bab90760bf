internal import Loyalty
internal import LoyaltyCodec

/// A campaign and its cards, folded from what names it.
struct PastCampaign {
    private let id: CampaignID
    private(set) var campaign: Campaign?
    private var cards = PastCards()

    init(_ id: CampaignID) { self.id = id }

    mutating func apply(_ fact: Fact) {
        if fact.event.card != nil { return cards.apply(fact) }
        if let published = Campaign(opening: fact), published.id == id { campaign = published } else { campaign?.evolve(fact) }
    }

    func fields(at clock: Instant) -> [PastField]? {
        guard let campaign else { return nil }
        let counts = CardStatus.allCases.map { status in
            PastField.number("\(status)", cards.cards.count { $0.status == status })
        }
        return [
            .id("campaign", campaign.id), .id("shop", campaign.shop), PastField("kind", .word("\(campaign.kind)")),
            .typed("title", campaign.title), .typed("details", campaign.details), .number("goal", campaign.goal),
            .typed("reward", campaign.reward), .time("starts", campaign.startsAt), .time("ends", campaign.endsAt),
            .time("ended", campaign.endedAt), PastField("running", .flag(campaign.isRunning(at: clock))),
            PastField("image", campaign.image.map { .word($0.text) } ?? .none),
            .number("stampsPerDayMax", campaign.caps.stampsPerDayMax), .number("minimumGapSeconds", campaign.caps.minimumGapSeconds),
            .number("version", Int(clamping: campaign.version)), PastField("cards", .record(counts)),
        ]
    }
}
