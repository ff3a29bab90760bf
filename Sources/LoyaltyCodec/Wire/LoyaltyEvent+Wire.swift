internal import EventLog
internal import Loyalty

/// The two tables that every event type stands in, once for each way.
extension LoyaltyEvent {
    func draft() throws(CodecError) -> EventDraft {
        switch self {
        case .accountRegistered(let event): try event.draft()
        case .sessionStarted(let event): try event.draft()
        case .sessionRefreshed(let event): try event.draft()
        case .sessionEnded(let event): try event.draft()
        case .profileEdited(let event): try event.draft()
        case .passwordSet(let event): try event.draft()
        case .accountErased(let event): event.draft()
        case .shopOpened(let event): try event.draft()
        case .shopEdited(let event): try event.draft()
        case .staffAdded(let event): event.draft()
        case .staffRemoved(let event): event.draft()
        case .shopSuspended(let event): try event.draft()
        case .shopReinstated(let event): try event.draft()
        case .campaignPublished(let event): try event.draft()
        case .campaignEnded(let event): event.draft()
        case .campaignEdited(let event): try event.draft()
        case .codeIssued(let event): try event.draft()
        case .codeDestroyed(let event): event.draft()
        case .cardOpened(let event): try event.draft()
        case .cardStamped(let event): try event.draft()
        case .cardDiscarded(let event): event.draft()
        case .cardAdjusted(let event): try event.draft()
        case .redemptionRequested(let event): try event.draft()
        case .cardRedeemed(let event): event.draft()
        case .redemptionReversed(let event): try event.draft()
        case .reviewPosted(let event): try event.draft()
        case .replyPosted(let event): try event.draft()
        case .reviewRemoved(let event): try event.draft()
        case .noticePosted(let event): try event.draft()
        case .noticeRead(let event): event.draft()
        case .feedbackGiven(let event): try event.draft()
        case .favoriteAdded(let event): event.draft()
        case .favoriteRemoved(let event): event.draft()
        }
    }

    /// Dispatches on type and version.
    ///
    /// A retired version keeps its row above the current one for ever, with an upcaster of its own beside the current decoder:
    /// `case (.cardOpened, 1): .cardOpened(try CardOpened(v1: event))`, where `init(v1:)` fills in what version 1 did not say.
    init(stored event: some StoredEvent & ~Escapable) throws(CodecError) {
        guard let type = WireType(rawValue: event.type.rawValue) else {
            throw CodecError(.unknownType, "event type \(event.type.rawValue) is unknown")
        }
        self =
            switch (type, event.schemaVersion) {
            case (.cardStamped, 1): .cardStamped(try CardStamped(v1: event))
            case (.codeIssued, 1): .codeIssued(try CodeIssued(v1: event))
            case (.cardOpened, 1): .cardOpened(try CardOpened(v1: event))
            case (.redemptionRequested, 1): .redemptionRequested(try RedemptionRequested(v1: event))
            case (.cardRedeemed, 1): .cardRedeemed(try CardRedeemed(v1: event))
            case (.redemptionReversed, 1): .redemptionReversed(try RedemptionReversed(v1: event))
            case (.accountRegistered, 1): .accountRegistered(try AccountRegistered(v1: event))
            case (.sessionStarted, 1): .sessionStarted(try SessionStarted(v1: event))
            case (.sessionRefreshed, 1): .sessionRefreshed(try SessionRefreshed(v1: event))
            case (.sessionEnded, 1): .sessionEnded(try SessionEnded(v1: event))
            case (.profileEdited, 1): .profileEdited(try ProfileEdited(v1: event))
            case (.passwordSet, 1): .passwordSet(try PasswordSet(v1: event))
            case (.accountErased, 1): .accountErased(try AccountErased(v1: event))
            case (.shopOpened, 1): .shopOpened(try ShopOpened(v1: event))
            case (.shopOpened, 2): .shopOpened(try ShopOpened(v2: event))
            case (.shopEdited, 1): .shopEdited(try ShopEdited(v1: event))
            case (.staffAdded, 1): .staffAdded(try StaffAdded(v1: event))
            case (.staffRemoved, 1): .staffRemoved(try StaffRemoved(v1: event))
            case (.shopSuspended, 1): .shopSuspended(try ShopSuspended(v1: event))
            case (.shopReinstated, 1): .shopReinstated(try ShopReinstated(v1: event))
            case (.campaignPublished, 1): .campaignPublished(try CampaignPublished(v1: event))
            case (.campaignPublished, 2): .campaignPublished(try CampaignPublished(v2: event))
            case (.campaignEnded, 1): .campaignEnded(try CampaignEnded(v1: event))
            case (.campaignEdited, 1): .campaignEdited(try CampaignEdited(v1: event))
            case (.codeDestroyed, 1): .codeDestroyed(try CodeDestroyed(v1: event))
            case (.cardDiscarded, 1): .cardDiscarded(try CardDiscarded(v1: event))
            case (.cardAdjusted, 1): .cardAdjusted(try CardAdjusted(v1: event))
            case (.reviewPosted, 1): .reviewPosted(try ReviewPosted(v1: event))
            case (.replyPosted, 1): .replyPosted(try ReplyPosted(v1: event))
            case (.reviewRemoved, 1): .reviewRemoved(try ReviewRemoved(v1: event))
            case (.noticePosted, 1): .noticePosted(try NoticePosted(v1: event))
            case (.noticeRead, 1): .noticeRead(try NoticeRead(v1: event))
            case (.feedbackGiven, 1): .feedbackGiven(try FeedbackGiven(v1: event))
            case (.favoriteAdded, 1): .favoriteAdded(try FavoriteAdded(v1: event))
            case (.favoriteRemoved, 1): .favoriteRemoved(try FavoriteRemoved(v1: event))
            default: throw CodecError(.unknownVersion, "\(type.name) of schema version \(event.schemaVersion) is unknown")
            }
    }
}
