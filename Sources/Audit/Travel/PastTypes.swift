internal import EventLog
internal import LoyaltyCodec
internal import ReadModels

/// Which events each answer is folded from.
enum PastTypes {
    static let card = CardProgress.eventTypes
    static let ratings: Set<EventType> = [.reviewPosted, .reviewRemoved]
    static let statistics = Statistics.eventTypes
    private static let ofCampaign: Set<EventType> = [.campaignPublished, .campaignEdited, .campaignEnded]
    static let campaign = ofCampaign.union(card)
    static let shop: Set<EventType> = ofCampaign.union([
        .shopOpened, .shopEdited, .staffAdded, .staffRemoved, .staffJoined, .employmentEnded, .shopSuspended, .shopReinstated,
        .shopClosed,
    ])
    static let account: Set<EventType> = card.union([
        .accountRegistered, .profileEdited, .passwordSet, .passwordRemoved, .accountErased, .shopOpened, .staffAdded, .staffRemoved,
        .staffJoined, .employmentEnded,
    ])
}
