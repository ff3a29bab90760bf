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
        case .campaignPublished(let event): try event.draft()
        case .campaignEnded(let event): event.draft()
        case .codeIssued(let event): try event.draft()
        case .codeDestroyed(let event): event.draft()
        case .cardOpened(let event): try event.draft()
        case .cardStamped(let event): try event.draft()
        case .cardDiscarded(let event): event.draft()
        case .redemptionRequested(let event): try event.draft()
        case .cardRedeemed(let event): event.draft()
        case .reviewPosted(let event): try event.draft()
        case .replyPosted(let event): try event.draft()
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
            case (.accountRegistered, 1): .accountRegistered(try AccountRegistered(v1: event))
            case (.sessionStarted, 1): .sessionStarted(try SessionStarted(v1: event))
            case (.sessionRefreshed, 1): .sessionRefreshed(try SessionRefreshed(v1: event))
            case (.sessionEnded, 1): .sessionEnded(try SessionEnded(v1: event))
            case (.profileEdited, 1): .profileEdited(try ProfileEdited(v1: event))
            case (.passwordSet, 1): .passwordSet(try PasswordSet(v1: event))
            case (.accountErased, 1): .accountErased(try AccountErased(v1: event))
            case (.shopOpened, 1): .shopOpened(try ShopOpened(v1: event))
            case (.campaignPublished, 1): .campaignPublished(try CampaignPublished(v1: event))
            case (.campaignEnded, 1): .campaignEnded(try CampaignEnded(v1: event))
            case (.codeDestroyed, 1): .codeDestroyed(try CodeDestroyed(v1: event))
            case (.cardDiscarded, 1): .cardDiscarded(try CardDiscarded(v1: event))
            case (.reviewPosted, 1): .reviewPosted(try ReviewPosted(v1: event))
            case (.replyPosted, 1): .replyPosted(try ReplyPosted(v1: event))
            default: throw CodecError(.unknownVersion, "\(type.name) of schema version \(event.schemaVersion) is unknown")
            }
    }
}
