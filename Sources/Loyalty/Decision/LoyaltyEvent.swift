/// All events of the domain. A new case needs a name, a number and a byte format in `LoyaltyCodec`, and keeps them for ever.
public enum LoyaltyEvent: Hashable, Sendable {
    case accountRegistered(AccountRegistered)
    case sessionStarted(SessionStarted)
    case sessionRefreshed(SessionRefreshed)
    case sessionEnded(SessionEnded)
    case profileEdited(ProfileEdited)
    case passwordSet(PasswordSet)
    case passwordRemoved(PasswordRemoved)
    case accountErased(AccountErased)
    case phoneChanged(PhoneChanged)
    case phoneChangeRequested(PhoneChangeRequested)
    case phoneChangeEnded(PhoneChangeEnded)
    case accountSuspended(AccountSuspended)
    case accountReinstated(AccountReinstated)
    case accountSearched(AccountSearched)
    case shopOpened(ShopOpened)
    case shopEdited(ShopEdited)
    case staffAdded(StaffAdded)
    case staffRemoved(StaffRemoved)
    case staffInvited(StaffInvited)
    case invitationEnded(InvitationEnded)
    case staffJoined(StaffJoined)
    case roleChanged(RoleChanged)
    case transferOffered(TransferOffered)
    case transferLapsed(TransferLapsed)
    case shopTransferred(ShopTransferred)
    case employmentEnded(EmploymentEnded)
    case shopSuspended(ShopSuspended)
    case shopReinstated(ShopReinstated)
    case shopClosed(ShopClosed)
    case campaignPublished(CampaignPublished)
    case campaignEnded(CampaignEnded)
    case campaignReopened(CampaignReopened)
    case campaignEdited(CampaignEdited)
    case codeIssued(CodeIssued)
    case codeDestroyed(CodeDestroyed)
    case paperCardsPrinted(PaperCardsPrinted)
    case paperStamped(PaperStamped)
    case paperCardTaken(PaperCardTaken)
    case paperStampReversed(PaperStampReversed)
    case cardOpened(CardOpened)
    case cardStamped(CardStamped)
    case cardDiscarded(CardDiscarded)
    case cardAdjusted(CardAdjusted)
    case stampReversed(StampReversed)
    case cardExpired(CardExpired)
    case cardReminded(CardReminded)
    case waitingCardTaken(WaitingCardTaken)
    case redemptionRequested(RedemptionRequested)
    case cardRedeemed(CardRedeemed)
    case redemptionReversed(RedemptionReversed)
    case milestoneRequested(MilestoneRequested)
    case milestoneRedeemed(MilestoneRedeemed)
    case milestoneReversed(MilestoneReversed)
    case reviewPosted(ReviewPosted)
    case replyPosted(ReplyPosted)
    case reviewRemoved(ReviewRemoved)
    case noticePosted(NoticePosted)
    case noticeScheduled(NoticeScheduled)
    case noticeWithdrawn(NoticeWithdrawn)
    case noticeLapsed(NoticeLapsed)
    case noticeRead(NoticeRead)
    case shopMuted(ShopMuted)
    case shopUnmuted(ShopUnmuted)
    case feedbackGiven(FeedbackGiven)
    case imageTakenDown(ImageTakenDown)
    case favoriteAdded(FavoriteAdded)
    case favoriteRemoved(FavoriteRemoved)
}

/// An event as the log holds it: with its position, its time and its actor.
public struct Fact: Hashable, Sendable {
    /// Positions are dense and begin at 1.
    public let position: UInt64
    public let time: Instant
    /// The account that gave the command; for `CardRedeemed` this is the owner or member of staff. ``AccountID/system`` if time alone
    /// caused the event.
    public let actor: AccountID
    public let event: LoyaltyEvent

    public init(position: UInt64, time: Instant, actor: AccountID, event: LoyaltyEvent) {
        self.position = position
        self.time = time
        self.actor = actor
        self.event = event
    }
}

extension AccountID {
    /// The actor of events that time alone causes. No account has this id.
    public static var system: AccountID { AccountID(0) }
}

extension LoyaltyEvent {
    /// The shop that the event is about. The shop's staff may see the event. `nil` for events about accounts, pictures, favourites, mutes
    /// and feedback, for notices to everybody, and for notices that are read, withdrawn or lapsed.
    public var shop: ShopID? {
        switch self {
        case .accountRegistered, .sessionStarted, .sessionRefreshed, .sessionEnded: nil
        case .profileEdited, .passwordSet, .passwordRemoved, .accountErased: nil
        case .phoneChanged, .phoneChangeRequested, .phoneChangeEnded, .accountSuspended, .accountReinstated, .accountSearched: nil
        case .shopOpened(let event): event.shop
        case .shopEdited(let event): event.shop
        case .staffAdded(let event): event.shop
        case .staffRemoved(let event): event.shop
        case .staffInvited(let event): event.shop
        case .invitationEnded(let event): event.shop
        case .staffJoined(let event): event.shop
        case .roleChanged(let event): event.shop
        case .transferOffered(let event): event.shop
        case .transferLapsed(let event): event.shop
        case .shopTransferred(let event): event.shop
        case .employmentEnded(let event): event.shop
        case .shopSuspended(let event): event.shop
        case .shopReinstated(let event): event.shop
        case .shopClosed(let event): event.shop
        case .campaignPublished(let event): event.shop
        case .campaignEnded(let event): event.shop
        case .campaignReopened(let event): event.shop
        case .campaignEdited(let event): event.shop
        case .codeIssued(let event): event.shop
        case .codeDestroyed(let event): event.shop
        case .paperCardsPrinted(let event): event.shop
        case .paperStamped(let event): event.shop
        case .paperCardTaken(let event): event.shop
        case .paperStampReversed(let event): event.shop
        case .cardOpened(let event): event.shop
        case .cardStamped(let event): event.shop
        case .cardDiscarded(let event): event.shop
        case .cardAdjusted(let event): event.shop
        case .stampReversed(let event): event.shop
        case .cardExpired(let event): event.shop
        case .cardReminded(let event): event.shop
        case .waitingCardTaken(let event): event.shop
        case .redemptionRequested(let event): event.shop
        case .cardRedeemed(let event): event.shop
        case .redemptionReversed(let event): event.shop
        case .milestoneRequested(let event): event.shop
        case .milestoneRedeemed(let event): event.shop
        case .milestoneReversed(let event): event.shop
        case .reviewPosted(let event): event.shop
        case .replyPosted(let event): event.shop
        case .reviewRemoved(let event): event.shop
        case .noticePosted(let event): event.audience.shop
        case .noticeScheduled(let event): event.audience.shop
        case .noticeWithdrawn, .noticeLapsed: nil
        case .noticeRead, .feedbackGiven, .imageTakenDown: nil
        case .shopMuted, .shopUnmuted: nil
        case .favoriteAdded, .favoriteRemoved: nil
        }
    }

    /// The card to whose history the event belongs; `nil` for an event that is about no card.
    public var card: CardID? {
        switch self {
        case .cardOpened(let event): event.card
        case .cardStamped(let event): event.card
        case .cardDiscarded(let event): event.card
        case .cardAdjusted(let event): event.card
        case .stampReversed(let event): event.card
        case .cardExpired(let event): event.card
        case .cardReminded(let event): event.card
        case .waitingCardTaken(let event): event.card
        case .redemptionRequested(let event): event.card
        case .cardRedeemed(let event): event.card
        case .redemptionReversed(let event): event.card
        case .milestoneRequested(let event): event.card
        case .milestoneRedeemed(let event): event.card
        case .milestoneReversed(let event): event.card
        default: nil
        }
    }

    /// The campaign of the card that the event is about; `nil` for an event that is about no card, even if it has a campaign.
    public var campaign: CampaignID? {
        switch self {
        case .cardOpened(let event): event.campaign
        case .cardStamped(let event): event.campaign
        case .cardDiscarded(let event): event.campaign
        case .cardAdjusted(let event): event.campaign
        case .stampReversed(let event): event.campaign
        case .cardExpired(let event): event.campaign
        case .cardReminded(let event): event.campaign
        case .waitingCardTaken(let event): event.campaign
        case .redemptionRequested(let event): event.campaign
        case .cardRedeemed(let event): event.campaign
        case .redemptionReversed(let event): event.campaign
        case .milestoneRequested(let event): event.campaign
        case .milestoneRedeemed(let event): event.campaign
        case .milestoneReversed(let event): event.campaign
        default: nil
        }
    }

    /// The customer whose card the event is about; `nil` for an event that is about no card.
    public var holder: AccountID? {
        switch self {
        case .cardOpened(let event): event.holder
        case .cardStamped(let event): event.holder
        case .cardDiscarded(let event): event.holder
        case .cardAdjusted(let event): event.holder
        case .stampReversed(let event): event.holder
        case .cardExpired(let event): event.holder
        case .cardReminded(let event): event.holder
        case .waitingCardTaken(let event): event.holder
        case .redemptionRequested(let event): event.holder
        case .cardRedeemed(let event): event.holder
        case .redemptionReversed(let event): event.holder
        case .milestoneRequested(let event): event.holder
        case .milestoneRedeemed(let event): event.holder
        case .milestoneReversed(let event): event.holder
        default: nil
        }
    }
}
