internal import EventLog
internal import Loyalty

/// Encoding and decoding of all event types, each as a table with one line for every type.
extension LoyaltyEvent {
    func draft() throws(CodecError) -> EventDraft {
        switch self {
        case .accountRegistered(let event): try event.draft()
        case .sessionStarted(let event): try event.draft()
        case .sessionRefreshed(let event): try event.draft()
        case .sessionEnded(let event): try event.draft()
        case .profileEdited(let event): try event.draft()
        case .passwordSet(let event): try event.draft()
        case .passwordRemoved(let event): event.draft()
        case .accountErased(let event): event.draft()
        case .shopOpened(let event): try event.draft()
        case .shopEdited(let event): try event.draft()
        case .staffAdded(let event): event.draft()
        case .staffRemoved(let event): event.draft()
        case .shopSuspended(let event): try event.draft()
        case .shopReinstated(let event): try event.draft()
        case .shopClosed(let event): try event.draft()
        case .campaignPublished(let event): try event.draft()
        case .campaignEnded(let event): event.draft()
        case .campaignReopened(let event): try event.draft()
        case .campaignEdited(let event): try event.draft()
        case .codeIssued(let event): try event.draft()
        case .codeDestroyed(let event): event.draft()
        case .cardOpened(let event): try event.draft()
        case .cardStamped(let event): try event.draft()
        case .cardDiscarded(let event): event.draft()
        case .cardAdjusted(let event): try event.draft()
        case .stampReversed(let event): try event.draft()
        case .cardExpired, .cardReminded, .waitingCardTaken: try rareCardDraft()
        case .redemptionRequested(let event): try event.draft()
        case .cardRedeemed(let event): try event.draft()
        case .redemptionReversed(let event): try event.draft()
        case .milestoneRequested(let event): try event.draft()
        case .milestoneRedeemed(let event): try event.draft()
        case .milestoneReversed(let event): try event.draft()
        case .reviewPosted(let event): try event.draft()
        case .replyPosted(let event): try event.draft()
        case .reviewRemoved(let event): try event.draft()
        case .noticePosted(let event): try event.draft()
        case .noticeRead(let event): event.draft()
        case .noticeScheduled(let event): try event.draft()
        case .noticeWithdrawn(let event): event.draft()
        case .noticeLapsed(let event): try event.draft()
        case .feedbackGiven(let event): try event.draft()
        case .imageTakenDown(let event): try event.draft()
        case .favoriteAdded(let event): event.draft()
        case .favoriteRemoved(let event): event.draft()
        case .staffInvited(let event): try event.draft()
        case .invitationEnded(let event): event.draft()
        case .staffJoined(let event): try event.draft()
        case .roleChanged(let event): try event.draft()
        case .transferOffered(let event): try event.draft()
        case .transferLapsed(let event): try event.draft()
        case .shopTransferred(let event): event.draft()
        case .employmentEnded(let event): event.draft()
        case .shopMuted(let event): event.draft()
        case .shopUnmuted(let event): event.draft()
        case .phoneChanged(let event): try event.draft()
        case .accountSuspended(let event): try event.draft()
        case .accountReinstated(let event): try event.draft()
        case .accountSearched(let event): event.draft()
        case .phoneChangeRequested(let event): try event.draft()
        case .phoneChangeEnded(let event): event.draft()
        case .paperCardsPrinted(let event): try event.draft()
        case .paperStamped(let event): try event.draft()
        case .paperCardTaken(let event): try event.draft()
        case .paperStampReversed(let event): try event.draft()
        }
    }

    private func rareCardDraft() throws(CodecError) -> EventDraft {
        switch self {
        case .cardExpired(let event): try event.draft()
        case .cardReminded(let event): try event.draft()
        case .waitingCardTaken(let event): try event.draft()
        default: throw CodecError(.unknownType, "this is no rare event of a card")
        }
    }

    private static func rareCard(_ event: some StoredEvent & ~Escapable, _ type: WireType) throws(CodecError) -> LoyaltyEvent {
        switch type {
        case .cardReminded: .cardReminded(try CardReminded(current: event))
        default: .waitingCardTaken(try WaitingCardTaken(current: event))
        }
    }

    /// Decodes a stored event of any version as today's event. The event type's own decoder reads today's version, and an ``Upcaster``
    /// reads each older version.
    ///
    /// - Parameter upcasters: the upcasters of the retired versions; only tests replace the default.
    init(
        stored event: some StoredEvent & ~Escapable, upcasters: [any Upcaster.Type] = Upcasters.all
    ) throws(CodecError) {
        guard let type = WireType(rawValue: event.type.rawValue) else {
            throw CodecError(.unknownType, "event type \(event.type.rawValue) is unknown")
        }
        if event.schemaVersion == type.currentVersion, !WireType.retired.contains(type) {
            self = try .current(event, type)
        } else if let upcaster = upcasters.first(where: { $0.type == type && $0.version == event.schemaVersion }) {
            self = try upcaster.upcast(event)
        } else {
            throw CodecError(.unknownVersion, "\(type.name) of schema version \(event.schemaVersion) is unknown")
        }
    }

    /// Decodes an event of today's version. The most frequent types are the first cases.
    private static func current(_ event: some StoredEvent & ~Escapable, _ type: WireType) throws(CodecError) -> LoyaltyEvent {
        switch type {
        case .cardOpened: .cardOpened(try CardOpened(current: event))
        case .cardStamped: .cardStamped(try CardStamped(current: event))
        case .codeIssued: .codeIssued(try CodeIssued(current: event))
        case .redemptionRequested: .redemptionRequested(try RedemptionRequested(current: event))
        case .cardRedeemed: .cardRedeemed(try CardRedeemed(current: event))
        case .redemptionReversed: .redemptionReversed(try RedemptionReversed(current: event))
        case .milestoneRequested: .milestoneRequested(try MilestoneRequested(current: event))
        case .milestoneRedeemed: .milestoneRedeemed(try MilestoneRedeemed(current: event))
        case .milestoneReversed: .milestoneReversed(try MilestoneReversed(current: event))
        case .accountRegistered: .accountRegistered(try AccountRegistered(current: event))
        case .sessionStarted: .sessionStarted(try SessionStarted(current: event))
        case .sessionRefreshed: .sessionRefreshed(try SessionRefreshed(current: event))
        case .sessionEnded: .sessionEnded(try SessionEnded(current: event))
        case .profileEdited: .profileEdited(try ProfileEdited(current: event))
        case .passwordSet: .passwordSet(try PasswordSet(current: event))
        case .passwordRemoved: .passwordRemoved(try PasswordRemoved(current: event))
        case .accountErased: .accountErased(try AccountErased(current: event))
        case .shopOpened: .shopOpened(try ShopOpened(current: event))
        case .shopEdited: .shopEdited(try ShopEdited(current: event))
        case .staffAdded: .staffAdded(try StaffAdded(current: event))
        case .staffRemoved: .staffRemoved(try StaffRemoved(current: event))
        case .shopSuspended: .shopSuspended(try ShopSuspended(current: event))
        case .shopReinstated: .shopReinstated(try ShopReinstated(current: event))
        case .shopClosed: .shopClosed(try ShopClosed(current: event))
        case .campaignPublished: .campaignPublished(try CampaignPublished(current: event))
        case .campaignEnded: .campaignEnded(try CampaignEnded(current: event))
        case .campaignReopened: .campaignReopened(try CampaignReopened(current: event))
        case .campaignEdited: .campaignEdited(try CampaignEdited(current: event))
        case .codeDestroyed: .codeDestroyed(try CodeDestroyed(current: event))
        case .cardDiscarded: .cardDiscarded(try CardDiscarded(current: event))
        case .cardAdjusted: .cardAdjusted(try CardAdjusted(current: event))
        case .stampReversed: .stampReversed(try StampReversed(current: event))
        case .cardExpired: .cardExpired(try CardExpired(current: event))
        case .cardReminded, .waitingCardTaken: try rareCard(event, type)
        case .reviewPosted: .reviewPosted(try ReviewPosted(current: event))
        case .replyPosted: .replyPosted(try ReplyPosted(current: event))
        case .reviewRemoved: .reviewRemoved(try ReviewRemoved(current: event))
        case .noticePosted: .noticePosted(try NoticePosted(current: event))
        case .noticeRead: .noticeRead(try NoticeRead(current: event))
        case .noticeScheduled: .noticeScheduled(try NoticeScheduled(current: event))
        case .noticeWithdrawn: .noticeWithdrawn(try NoticeWithdrawn(current: event))
        case .noticeLapsed: .noticeLapsed(try NoticeLapsed(current: event))
        case .feedbackGiven: .feedbackGiven(try FeedbackGiven(current: event))
        case .imageTakenDown: .imageTakenDown(try ImageTakenDown(current: event))
        case .favoriteAdded: .favoriteAdded(try FavoriteAdded(current: event))
        case .favoriteRemoved: .favoriteRemoved(try FavoriteRemoved(current: event))
        case .staffInvited: .staffInvited(try StaffInvited(current: event))
        case .invitationEnded: .invitationEnded(try InvitationEnded(current: event))
        case .staffJoined: .staffJoined(try StaffJoined(current: event))
        case .roleChanged: .roleChanged(try RoleChanged(current: event))
        case .transferOffered: .transferOffered(try TransferOffered(current: event))
        case .transferLapsed: .transferLapsed(try TransferLapsed(current: event))
        case .shopTransferred: .shopTransferred(try ShopTransferred(current: event))
        case .employmentEnded: .employmentEnded(try EmploymentEnded(current: event))
        case .shopMuted: .shopMuted(try ShopMuted(current: event))
        case .shopUnmuted: .shopUnmuted(try ShopUnmuted(current: event))
        case .phoneChanged: .phoneChanged(try PhoneChanged(current: event))
        case .accountSuspended: .accountSuspended(try AccountSuspended(current: event))
        case .accountReinstated: .accountReinstated(try AccountReinstated(current: event))
        case .accountSearched: .accountSearched(try AccountSearched(current: event))
        case .phoneChangeRequested: .phoneChangeRequested(try PhoneChangeRequested(current: event))
        case .phoneChangeEnded: .phoneChangeEnded(try PhoneChangeEnded(current: event))
        case .paperCardsPrinted: .paperCardsPrinted(try PaperCardsPrinted(current: event))
        case .paperStamped: .paperStamped(try PaperStamped(current: event))
        case .paperCardTaken: .paperCardTaken(try PaperCardTaken(current: event))
        case .paperStampReversed: .paperStampReversed(try PaperStampReversed(current: event))
        }
    }
}
