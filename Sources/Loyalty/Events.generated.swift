// Made by Tools/generate from Sources/LoyaltyCodec/Proto/events.proto. Not to be edited.
/// All events of the domain.
public enum LoyaltyEvent: Hashable, Sendable {
    case accountRegistered(AccountRegistered)
    case sessionStarted(SessionStarted)
    case sessionRefreshed(SessionRefreshed)
    case sessionEnded(SessionEnded)
    case profileEdited(ProfileEdited)
    case passwordSet(PasswordSet)
    case accountErased(AccountErased)
    case passwordRemoved(PasswordRemoved)
    case phoneChanged(PhoneChanged)
    case shopOpened(ShopOpened)
    case shopEdited(ShopEdited)
    case staffAdded(StaffAdded)
    case staffRemoved(StaffRemoved)
    case shopSuspended(ShopSuspended)
    case shopReinstated(ShopReinstated)
    indirect case campaignPublished(CampaignPublished)
    case campaignEnded(CampaignEnded)
    indirect case campaignEdited(CampaignEdited)
    case campaignReopened(CampaignReopened)
    case codeIssued(CodeIssued)
    case codeDestroyed(CodeDestroyed)
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
    case favoriteAdded(FavoriteAdded)
    case favoriteRemoved(FavoriteRemoved)
    case noticePosted(NoticePosted)
    case noticeRead(NoticeRead)
    case noticeScheduled(NoticeScheduled)
    case noticeWithdrawn(NoticeWithdrawn)
    case noticeLapsed(NoticeLapsed)
    case feedbackGiven(FeedbackGiven)
    case staffInvited(StaffInvited)
    case invitationEnded(InvitationEnded)
    case staffJoined(StaffJoined)
    case employmentEnded(EmploymentEnded)
    case shopMuted(ShopMuted)
    case shopUnmuted(ShopUnmuted)
    case roleChanged(RoleChanged)
    case transferOffered(TransferOffered)
    case shopTransferred(ShopTransferred)
    case transferLapsed(TransferLapsed)
    case staffLabeled(StaffLabeled)
    case waitingOfferTaken(WaitingOfferTaken)
    case shopClosed(ShopClosed)
    case imageTakenDown(ImageTakenDown)
    case accountSuspended(AccountSuspended)
    case accountReinstated(AccountReinstated)
    case accountSearched(AccountSearched)
    case phoneChangeRequested(PhoneChangeRequested)
    case phoneChangeEnded(PhoneChangeEnded)
    case paperCardsPrinted(PaperCardsPrinted)
    case paperStamped(PaperStamped)
    case paperCardTaken(PaperCardTaken)
    case paperStampReversed(PaperStampReversed)
    case searchSaved(SearchSaved)
    case searchEdited(SearchEdited)
    case searchRemoved(SearchRemoved)
    case searchSeen(SearchSeen)
    case searchAlerted(SearchAlerted)
}

extension LoyaltyEvent {
    /// The card to whose history the event belongs, its campaign and its holder; nil for an event that is about no card.
    public var holding: (card: CardID, campaign: CampaignID, holder: AccountID)? {
        switch self {
        case .cardOpened(let event): (event.card, event.campaign, event.holder)
        case .cardStamped(let event): (event.card, event.campaign, event.holder)
        case .cardDiscarded(let event): (event.card, event.campaign, event.holder)
        case .cardAdjusted(let event): (event.card, event.campaign, event.holder)
        case .stampReversed(let event): (event.card, event.campaign, event.holder)
        case .cardExpired(let event): (event.card, event.campaign, event.holder)
        case .cardReminded(let event): (event.card, event.campaign, event.holder)
        case .waitingCardTaken(let event): (event.card, event.campaign, event.holder)
        case .redemptionRequested(let event): (event.card, event.campaign, event.holder)
        case .cardRedeemed(let event): (event.card, event.campaign, event.holder)
        case .redemptionReversed(let event): (event.card, event.campaign, event.holder)
        case .milestoneRequested(let event): (event.card, event.campaign, event.holder)
        case .milestoneRedeemed(let event): (event.card, event.campaign, event.holder)
        case .milestoneReversed(let event): (event.card, event.campaign, event.holder)
        default: nil
        }
    }

    public var card: CardID? { holding?.card }
    public var campaign: CampaignID? { holding?.campaign }
    public var holder: AccountID? { holding?.holder }

    /// The shop that the event is about. The shop's people may see the event; nil for an event of no shop.
    public var shop: ShopID? {
        switch self {
        case .shopOpened(let event): event.shop
        case .shopEdited(let event): event.shop
        case .staffAdded(let event): event.shop
        case .staffRemoved(let event): event.shop
        case .shopSuspended(let event): event.shop
        case .shopReinstated(let event): event.shop
        case .campaignPublished(let event): event.shop
        case .campaignEnded(let event): event.shop
        case .campaignEdited(let event): event.shop
        case .campaignReopened(let event): event.shop
        case .codeIssued(let event): event.shop
        case .codeDestroyed(let event): event.shop
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
        case .staffInvited(let event): event.shop
        case .invitationEnded(let event): event.shop
        case .staffJoined(let event): event.shop
        case .employmentEnded(let event): event.shop
        case .roleChanged(let event): event.shop
        case .transferOffered(let event): event.shop
        case .shopTransferred(let event): event.shop
        case .transferLapsed(let event): event.shop
        case .staffLabeled(let event): event.shop
        case .shopClosed(let event): event.shop
        case .paperCardsPrinted(let event): event.shop
        case .paperStamped(let event): event.shop
        case .paperCardTaken(let event): event.shop
        case .paperStampReversed(let event): event.shop
        default: nil
        }
    }

    /// The redemption of a full card or of a milestone; nil for an event that is about none.
    public var redemption: RedemptionID? {
        switch self {
        case .redemptionRequested(let event): event.redemption
        case .cardRedeemed(let event): event.redemption
        case .redemptionReversed(let event): event.redemption
        case .milestoneRequested(let event): event.redemption
        case .milestoneRedeemed(let event): event.redemption
        case .milestoneReversed(let event): event.redemption
        default: nil
        }
    }

    /// The campaign's own shop, if the event happened at another; otherwise nil.
    public var home: ShopID? {
        switch self {
        case .codeIssued(let event): event.home
        case .cardOpened(let event): event.home
        case .cardStamped(let event): event.home
        case .stampReversed(let event): event.home
        case .cardRedeemed(let event): event.home
        case .redemptionReversed(let event): event.home
        case .milestoneRedeemed(let event): event.home
        case .milestoneReversed(let event): event.home
        case .paperStamped(let event): event.home
        case .paperStampReversed(let event): event.home
        default: nil
        }
    }

    /// The paper card that the event is about; nil for an event that is about none.
    public var paper: PaperName? {
        switch self {
        case .paperStamped(let event): event.paper
        case .paperCardTaken(let event): event.paper
        case .paperStampReversed(let event): event.paper
        default: nil
        }
    }

    /// The kind of activity at a shop; nil if no state of a shop forbids the event.
    var actKind: ShopAct.Kind? {
        switch self {
        case
            .shopEdited, .staffAdded, .campaignPublished, .campaignEnded, .campaignEdited, .campaignReopened, .codeIssued, .codeDestroyed,
            .cardOpened, .cardStamped, .noticePosted, .noticeScheduled, .staffInvited, .staffJoined, .roleChanged, .transferOffered,
            .shopTransferred, .staffLabeled, .paperCardsPrinted, .paperStamped, .paperCardTaken: .trade
        case
            .stampReversed, .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed,
            .milestoneReversed, .paperStampReversed: .redemption
        case .replyPosted: .reply
        default: nil
        }
    }
}

/// A person signed in for the first time.
public struct AccountRegistered: Hashable, Sendable {
    public let account: AccountID
    /// Keyed hash that identifies the registration, so that a repeated registration changes nothing. It is made from the account's id; in
    /// older logs it is made from the phone number.
    public let phone: Secret
    public let sealedPhone: Sealed

    public init(account: AccountID, phone: Secret, sealedPhone: Sealed) {
        (self.account, self.phone, self.sealedPhone) = (account, phone, sealedPhone)
    }
}

/// An account signed in, which begins a session.
public struct SessionStarted: Hashable, Sendable {
    public let session: SessionID
    public let account: AccountID
    /// Keyed hash of the only valid refresh token, 16 bytes.
    public let token: Secret
    public let expiresAt: Instant

    public init(session: SessionID, account: AccountID, token: Secret, expiresAt: Instant) {
        (self.session, self.account, self.token, self.expiresAt) = (session, account, token, expiresAt)
    }
}

/// The refresh token of a session was used, and a new token replaced it.
public struct SessionRefreshed: Hashable, Sendable {
    public let session: SessionID
    public let account: AccountID
    /// Keyed hash of the new refresh token, 16 bytes.
    public let token: Secret
    public let expiresAt: Instant

    public init(session: SessionID, account: AccountID, token: Secret, expiresAt: Instant) {
        (self.session, self.account, self.token, self.expiresAt) = (session, account, token, expiresAt)
    }
}

/// The session has ended; none of its tokens is valid any more.
public struct SessionEnded: Hashable, Sendable {
    public let session: SessionID
    public let account: AccountID
    public let ending: SessionEnding

    public init(session: SessionID, account: AccountID, ending: SessionEnding) {
        (self.session, self.account, self.ending) = (session, account, ending)
    }
}

/// A person set a password, or replaced their present password.
///
/// The log holds a slow hash with its salt, sealed under the account's data key. A reader of the log alone cannot test guesses of the
/// password. A reader who also has the master key must compute the slow hash for each guess. After the account is erased, no reader can
/// test guesses.
public struct PasswordSet: Hashable, Sendable {
    public let account: AccountID
    /// Method, its parameters, salt and slow hash, as text.
    public let sealedHash: Sealed

    public init(account: AccountID, sealedHash: Sealed) {
        (self.account, self.sealedHash) = (account, sealedHash)
    }
}

/// An account was erased. The event certifies that the account's sealed data can no longer be read.
///
/// The account's data key is destroyed once this event is durable. The account's cards, stamps and ratings stay, but without a name.
public struct AccountErased: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}

/// A person removed their password, and from now on signs in by text message alone.
public struct PasswordRemoved: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}

/// An account has another phone number from now on. Either its holder proved to have both numbers, or a change that an operator requested
/// took effect.
public struct PhoneChanged: Hashable, Sendable {
    public let account: AccountID
    /// The new number. It is sealed, and the event has no hash of it. So the log does not reveal that two accounts have had the same
    /// number.
    public let sealedPhone: Sealed

    public init(account: AccountID, sealedPhone: Sealed) {
        (self.account, self.sealedPhone) = (account, sealedPhone)
    }
}

/// An account works for a shop from now on. Logs of older releases have this event in place of `StaffJoined`.
public struct StaffAdded: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        (self.shop, self.account) = (shop, account)
    }
}

/// An account no longer works for a shop. Logs of older releases have this event in place of `EmploymentEnded`.
public struct StaffRemoved: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        (self.shop, self.account) = (shop, account)
    }
}

/// An operator suspended a shop: no stamps are collected at the shop until an operator reinstates it. Full cards are still redeemed.
public struct ShopSuspended: Hashable, Sendable {
    public let shop: ShopID
    public let reason: TypedText

    public init(shop: ShopID, reason: TypedText) {
        (self.shop, self.reason) = (shop, reason)
    }
}

/// An operator reinstated a suspended shop.
public struct ShopReinstated: Hashable, Sendable {
    public let shop: ShopID
    /// The operator's reason; may be empty.
    public let reason: TypedText

    public init(shop: ShopID, reason: TypedText) {
        (self.shop, self.reason) = (shop, reason)
    }
}

/// A campaign ended before its time: the owner or a manager ended it, or its shop closed.
public struct CampaignEnded: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID

    public init(campaign: CampaignID, shop: ShopID) {
        (self.campaign, self.shop) = (campaign, shop)
    }
}

/// The owner or a manager took back the early end of a campaign: it runs on as if it had not ended.
public struct CampaignReopened: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    /// The end that the campaign's terms name, which is in force again. It is repeated here, so that readers of the event need no earlier
    /// state.
    public let endsAt: Instant

    public init(campaign: CampaignID, shop: ShopID, endsAt: Instant) {
        (self.campaign, self.shop, self.endsAt) = (campaign, shop, endsAt)
    }
}

/// The shop issued a one-time stamp code (集点码).
public struct CodeIssued: Hashable, Sendable, SharedEvent {
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let secret: Secret
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The code is derived from the code's
    /// id and this number.
    public let attempt: Int
    /// The stamps that the code is worth, 1 to 10.
    public let stamps: Int
    public let expiresAt: Instant

    public init(
        code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, secret: Secret, attempt: Int, stamps: Int, expiresAt: Instant
    ) {
        (self.code, self.campaign, self.shop, self.home, self.secret, self.attempt) = (code, campaign, shop, home, secret, attempt)
        (self.stamps, self.expiresAt) = (stamps, expiresAt)
    }
}

/// The shop withdrew an unused code.
public struct CodeDestroyed: Hashable, Sendable {
    public let code: CodeID
    public let campaign: CampaignID
    public let shop: ShopID

    public init(code: CodeID, campaign: CampaignID, shop: ShopID) {
        (self.code, self.campaign, self.shop) = (code, campaign, shop)
    }
}

/// The holder discarded the card, or a reversal emptied and discarded it because an older card collects again.
public struct CardDiscarded: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID

    public init(card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID) {
        (self.card, self.campaign, self.shop, self.holder) = (card, campaign, shop, holder)
    }
}

/// An operator corrected a card's stamps. The correction is an event of its own; earlier events stay as they were.
public struct CardAdjusted: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The stamps added, or negative for stamps taken off; never 0.
    public let stamps: Int
    public let reason: TypedText

    public init(card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, stamps: Int, reason: TypedText) {
        (self.card, self.campaign, self.shop, self.holder, self.stamps, self.reason) = (card, campaign, shop, holder, stamps, reason)
    }
}

/// The shop took back stamps that a code gave. One event names one card; a code's stamps may be taken off several cards, by several events.
///
/// The card need not be one that the code stamped: the collecting card loses stamps first, see ``ReverseStamp``.
public struct StampReversed: Hashable, Sendable, SharedEvent {
    public let card: CardID
    /// The code whose stamps are taken back.
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code, even if another shop takes the stamps back. The statistics of neither shop subtract them: a day's
    /// stamps are those that codes gave on that day.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    /// How many stamps the card loses, 1 to 50.
    public let stamps: Int
    public let reason: TypedText
    /// How many of the code's stamps can still be taken back after the whole command, 0 to 60. All events of a command have the same
    /// number. Since version 4.
    public let left: Int

    public init(
        card: CardID, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, stamps: Int,
        reason: TypedText, left: Int = .zero
    ) {
        (self.card, self.code, self.campaign, self.shop, self.home, self.holder) = (card, code, campaign, shop, home, holder)
        (self.stamps, self.reason, self.left) = (stamps, reason, left)
    }
}

/// The card's time is over. Until this event the card was collecting or full.
public struct CardExpired: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The moment at which the card's time was over, as its terms say.
    public let dueAt: Instant

    public init(card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, dueAt: Instant) {
        (self.card, self.campaign, self.shop, self.holder, self.dueAt) = (card, campaign, shop, holder, dueAt)
    }
}

/// A reminder to a card's holder that the card's time will soon be over.
public struct CardReminded: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The notice that shows the reminder to the holder.
    public let notice: NoticeID
    /// The number of days before the end of the card's time at which the reminder was due, one of ``Limits/reminderDays``.
    public let daysLeft: Int
    /// The moment at which the reminder was due: so many days before the card's end.
    public let dueAt: Instant

    public init(card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, notice: NoticeID, daysLeft: Int, dueAt: Instant) {
        (self.card, self.campaign, self.shop, self.holder, self.notice, self.daysLeft) = (card, campaign, shop, holder, notice, daysLeft)
        self.dueAt = dueAt
    }
}

/// An account took over a card that waited for the holder of its phone number, or one of its own cards got stamps of such a card.
///
/// Shops can stamp cards for a number before anybody registers with it. These cards belong to a waiting person, whose only proof is the
/// number. An account that verifies the number takes them over one by one. If the account collects in the same campaign already, the stamps
/// of a waiting card fill the account's own card first, because an account collects on one card of a campaign at a time. The event of the
/// account's own card then comes directly before the event of the waiting card.
public struct WaitingCardTaken: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    /// The account that has the card from now on.
    public let holder: AccountID
    /// The waiting person who had the card until now; nil for the account's own card.
    public let from: AccountID?
    /// The number of stamps that fill the card.
    public let goal: Int
    /// The number of stamps on the card from now on. A card without stamps is discarded.
    public let stamps: Int
    /// The number of stamps that moved from the waiting card to the account's own card. Both events have it.
    public let moved: Int
    /// For a waiting card of which stamps moved: the account's own card. Otherwise nil.
    public let onto: CardID?
    /// The number of codes that count for the account from now on, see ``CardTally/codes``: those with stamps on the card. A code on two
    /// cards counts twice, because rules only ask whether there were any.
    public let codes: Int
    /// The number of stamps that caps count as one gain of the account at the time of this event: those of the waiting person for which
    /// caps would still make that person wait.
    public let worth: Int

    public init(
        card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, from: AccountID? = nil, goal: Int, stamps: Int, moved: Int = 0,
        onto: CardID? = nil, codes: Int = 0, worth: Int = 0
    ) {
        (self.card, self.campaign, self.shop, self.holder, self.from, self.goal) = (card, campaign, shop, holder, from, goal)
        (self.stamps, self.moved, self.onto, self.codes, self.worth) = (stamps, moved, onto, codes, worth)
    }
}

/// The holder of a full card requested a one-time redemption code. Any earlier redemption code of that card becomes invalid.
public struct RedemptionRequested: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let secret: Secret
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The code is derived from the
    /// redemption's id and this number.
    public let attempt: Int
    public let expiresAt: Instant

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, secret: Secret, attempt: Int,
        expiresAt: Instant
    ) {
        (self.redemption, self.card, self.campaign, self.shop, self.holder) = (redemption, card, campaign, shop, holder)
        (self.secret, self.attempt, self.expiresAt) = (secret, attempt, expiresAt)
    }
}

/// The shop verified the redemption code and handed out the reward (兑换). The event's actor is the owner or member of staff who did so.
public struct CardRedeemed: Hashable, Sendable, SharedEvent {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that handed the reward out.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID

    public init(redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID) {
        (self.redemption, self.card, self.campaign, self.shop, self.home, self.holder) = (redemption, card, campaign, shop, home, holder)
    }
}

/// The shop took back a reward that it had handed out by mistake: the card is full again. The event's actor is the owner or member of staff
/// who did so.
public struct RedemptionReversed: Hashable, Sendable, SharedEvent {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that had handed the reward out. The person who takes the reward back may work at another shop of the campaign.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let reason: TypedText

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID,
        reason: TypedText
    ) {
        (self.redemption, self.card, self.campaign, self.shop, self.home, self.holder) = (redemption, card, campaign, shop, home, holder)
        self.reason = reason
    }
}

/// The holder of a card requested a one-time code for a milestone's reward. Any earlier redemption code of that card becomes invalid.
public struct MilestoneRequested: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let secret: Secret
    /// The milestone, identified by the number of stamps that it needs.
    public let milestone: Int
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The code is derived from the
    /// redemption's id and this number.
    public let attempt: Int
    public let expiresAt: Instant

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, secret: Secret, milestone: Int,
        attempt: Int, expiresAt: Instant
    ) {
        (self.redemption, self.card, self.campaign, self.shop, self.holder) = (redemption, card, campaign, shop, holder)
        (self.secret, self.milestone, self.attempt, self.expiresAt) = (secret, milestone, attempt, expiresAt)
    }
}

/// The shop handed out a milestone's reward. The card keeps its stamps and its status. The event's actor is the owner or member of staff
/// who did so.
public struct MilestoneRedeemed: Hashable, Sendable, SharedEvent {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that handed the reward out.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let milestone: Int

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, milestone: Int
    ) {
        (self.redemption, self.card, self.campaign, self.shop, self.home, self.holder) = (redemption, card, campaign, shop, home, holder)
        self.milestone = milestone
    }
}

/// The shop took back a milestone's reward that it had handed out by mistake. The event's actor is the owner or member of staff who did so.
public struct MilestoneReversed: Hashable, Sendable, SharedEvent {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that handed the reward out.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let milestone: Int
    public let reason: TypedText

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, milestone: Int,
        reason: TypedText
    ) {
        (self.redemption, self.card, self.campaign, self.shop, self.home, self.holder) = (redemption, card, campaign, shop, home, holder)
        (self.milestone, self.reason) = (milestone, reason)
    }
}

/// A customer rated a shop, wrote about it, or both. A rating replaces the author's earlier rating of that shop.
public struct ReviewPosted: Hashable, Sendable {
    public let review: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// The rating, 1 to 5; nil if there is none.
    public let rating: Int?
    public let text: Sealed?

    public init(review: ReviewID, shop: ShopID, author: AccountID, rating: Int? = nil, text: Sealed? = nil) {
        (self.review, self.shop, self.author, self.rating, self.text) = (review, shop, author, rating, text)
    }
}

/// An account answered a review or another reply.
public struct ReplyPosted: Hashable, Sendable {
    public let reply: ReviewID
    /// The review or reply that is answered.
    public let parent: ReviewID
    /// The review at the root of the thread.
    public let thread: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// The depth in the thread: 1 for an answer to the review itself, at most 8.
    public let depth: Int
    public let text: Sealed

    public init(reply: ReviewID, parent: ReviewID, thread: ReviewID, shop: ShopID, author: AccountID, depth: Int, text: Sealed) {
        (self.reply, self.parent, self.thread, self.shop, self.author, self.depth) = (reply, parent, thread, shop, author, depth)
        self.text = text
    }
}

/// A review or a reply was removed, by its author or by an operator. Its rating no longer counts.
public struct ReviewRemoved: Hashable, Sendable {
    /// The id of the removed review or reply.
    public let review: ReviewID
    /// The review at the root of the thread; a review is its own root.
    public let thread: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// Whether an operator removed the review, and not its author.
    public let byOperator: Bool

    public init(review: ReviewID, thread: ReviewID, shop: ShopID, author: AccountID, byOperator: Bool) {
        (self.review, self.thread, self.shop, self.author, self.byOperator) = (review, thread, shop, author, byOperator)
    }
}

/// An account added a campaign to its favourites.
public struct FavoriteAdded: Hashable, Sendable {
    public let account: AccountID
    public let campaign: CampaignID

    public init(account: AccountID, campaign: CampaignID) {
        (self.account, self.campaign) = (account, campaign)
    }
}

/// An account removed a campaign from its favourites.
public struct FavoriteRemoved: Hashable, Sendable {
    public let account: AccountID
    public let campaign: CampaignID

    public init(account: AccountID, campaign: CampaignID) {
        (self.account, self.campaign) = (account, campaign)
    }
}

/// The operator or a shop posted a notice to many accounts. Title and text are sealed under the author's key.
///
/// The shop tag is 0 if the notice is for everybody. A notice for the holders of a campaign's cards has the campaign's tag.
public struct NoticePosted: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    /// Sealed under the key of the author, whose id is the account tag.
    public let title: Sealed
    public let text: Sealed
    /// Since version 2. The moment that the author had named; absent for a notice that was posted at once.
    public let dueAt: Instant?

    public init(notice: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed, dueAt: Instant? = nil) {
        (self.notice, self.audience, self.author, self.title, self.text, self.dueAt) = (notice, audience, author, title, text, dueAt)
    }
}

/// An account has read a notice.
public struct NoticeRead: Hashable, Sendable {
    public let notice: NoticeID
    public let account: AccountID

    public init(notice: NoticeID, account: AccountID) {
        (self.notice, self.account) = (notice, account)
    }
}

/// A notice was scheduled for later. Title and text are sealed under the author's key.
///
/// The tags are like those of NoticePosted.
public struct NoticeScheduled: Hashable, Sendable {
    public let notice: NoticeID
    public let audience: NoticeAudience
    public let author: AccountID
    /// Sealed under the key of the author, whose id is the account tag.
    public let title: Sealed
    public let text: Sealed
    public let publishAt: Instant

    public init(notice: NoticeID, audience: NoticeAudience, author: AccountID, title: Sealed, text: Sealed, publishAt: Instant) {
        (self.notice, self.audience, self.author, self.title, self.text) = (notice, audience, author, title, text)
        self.publishAt = publishAt
    }
}

/// The author took a notice back before it appeared.
public struct NoticeWithdrawn: Hashable, Sendable {
    public let notice: NoticeID
    public let author: AccountID

    public init(notice: NoticeID, author: AccountID) {
        (self.notice, self.author) = (notice, author)
    }
}

/// A scheduled notice did not appear at the time that its author had named: the author was erased or suspended, or no longer owned or
/// managed the shop, or the shop was suspended or had closed.
public struct NoticeLapsed: Hashable, Sendable {
    public let notice: NoticeID
    public let author: AccountID
    /// The time that the author had named.
    public let dueAt: Instant

    public init(notice: NoticeID, author: AccountID, dueAt: Instant) {
        (self.notice, self.author, self.dueAt) = (notice, author, dueAt)
    }
}

/// An account sent the operator feedback about the service.
public struct FeedbackGiven: Hashable, Sendable {
    public let author: AccountID
    public let text: Sealed

    public init(author: AccountID, text: Sealed) {
        (self.author, self.text) = (author, text)
    }
}

/// The owner offered an account work at the shop. Nothing changes for that account until it accepts.
///
/// The account need not be registered, because the owner must not learn whether it is registered.
///
/// A role of staff is 1 for the counter and 2 for a manager.
public struct StaffInvited: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID
    /// The moment from which the offer can no longer be accepted.
    public let expiresAt: Instant
    /// The role: ``Role/counter`` or ``Role/manager``. If the account is already a member of the staff, this role is higher than its
    /// present role. Since version 2.
    public let role: Role

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, expiresAt: Instant, role: Role = .counter) {
        (self.invitation, self.shop, self.account, self.expiresAt, self.role) = (invitation, shop, account, expiresAt, role)
    }
}

/// An offer was declined by the invited account, or ended by the shop's owner. An owner ends an offer by withdrawing or replacing it, by
/// removing the member to whom it was made, by closing the shop, by erasing their own account, or by taking the shop over.
///
/// The event's actor is the one who ended the offer.
public struct InvitationEnded: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID

    public init(invitation: InvitationID, shop: ShopID, account: AccountID) {
        (self.invitation, self.shop, self.account) = (invitation, shop, account)
    }
}

/// The invited account accepted an offer: it works for the shop from now on.
///
/// Version 1 has no payload.
public struct StaffJoined: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID
    /// The role of the offer. The event repeats it, so that code that follows a shop's staff need not read offers. Since version 2.
    public let role: Role

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, role: Role = .counter) {
        (self.invitation, self.shop, self.account, self.role) = (invitation, shop, account, role)
    }
}

/// An account no longer works for a shop: the owner removed it or closed the shop, or it left or was erased. The event's actor is the one
/// who did so.
///
/// The open codes that the account issued at this shop become void. The shop's state keeps the position of the end, and each code names its
/// issuer. So the writer need not search for the codes.
///
/// Older logs have `StaffRemoved` in place of this event. `StaffRemoved` makes no code void, because in older logs such codes were used
/// even after that event. When an account is erased, `EmploymentEnded` comes before `AccountErased`.
public struct EmploymentEnded: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        (self.shop, self.account) = (shop, account)
    }
}

/// An account muted a shop. Notices that the shop posts from now on, until the mute ends, never reach the account, not even afterwards.
public struct ShopMuted: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        (self.shop, self.account) = (shop, account)
    }
}

/// An account ended its mute of a shop. The account gets the notices that the shop posts from now on.
public struct ShopUnmuted: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        (self.shop, self.account) = (shop, account)
    }
}

/// The owner lowered a member's role, or a member accepted a higher role. If the event's actor is the owner, the role was lowered.
public struct RoleChanged: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID
    /// The offer that the member accepted; nil if the owner lowered the role.
    public let invitation: InvitationID?
    /// The role: ``Role/counter`` or ``Role/manager``.
    public let role: Role

    public init(shop: ShopID, account: AccountID, invitation: InvitationID? = nil, role: Role) {
        (self.shop, self.account, self.invitation, self.role) = (shop, account, invitation, role)
    }
}

/// The owner offered a shop to another account. Nothing changes until that account accepts.
///
/// The account need not be registered, because the owner must not learn whether it is registered.
public struct TransferOffered: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID
    /// The moment from which the offer can no longer be accepted.
    public let expiresAt: Instant

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, expiresAt: Instant) {
        (self.invitation, self.shop, self.account, self.expiresAt) = (invitation, shop, account, expiresAt)
    }
}

/// The account that was offered a shop accepted it: it owns the shop from now on, and the former owner has no role at the shop.
public struct ShopTransferred: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    /// The new owner.
    public let account: AccountID
    public let formerOwner: AccountID

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, formerOwner: AccountID) {
        (self.invitation, self.shop, self.account, self.formerOwner) = (invitation, shop, account, formerOwner)
    }
}

/// The offer of a shop has lapsed, because nobody answered it in time. The scheduler records the event, or the owner's withdrawal or next
/// offer of the shop does. From its end on, the offer cannot be accepted, whether or not the event is recorded yet.
public struct TransferLapsed: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    /// The account that was to own the shop.
    public let account: AccountID
    /// The moment from which the offer could no longer be accepted, as ``TransferOffered/expiresAt`` of the offer.
    public let dueAt: Instant

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, dueAt: Instant) {
        (self.invitation, self.shop, self.account, self.dueAt) = (invitation, shop, account, dueAt)
    }
}

/// A manager gave a member of the staff a name, under which the shop's people see the member; an empty name takes it away.
public struct StaffLabeled: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID
    public let label: TypedText

    public init(shop: ShopID, account: AccountID, label: TypedText) {
        (self.shop, self.account, self.label) = (shop, account, label)
    }
}

/// An offer of work that waited for the holder of a phone number became the offer to an account that had another number before.
///
/// The shop's people do not see the event, because it shows that the number has an account now.
public struct WaitingOfferTaken: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    /// The account to which the offer is made from now on.
    public let account: AccountID

    public init(invitation: InvitationID, shop: ShopID, account: AccountID) {
        (self.invitation, self.shop, self.account) = (invitation, shop, account)
    }
}

/// A picture was taken down: its bytes are removed, even if events or states still name it.
///
/// The event records the actor and the time, and remains in the log after a restore from a backup. If an operator took the picture down, a
/// second event names its bytes by the first half of their digest, unless this is already the id in the first event. Copies of these bytes
/// are then refused for ever, from any uploader. Events that name a removed picture are not changed; the picture's address answers 404.
public struct ImageTakenDown: Hashable, Sendable {
    public let image: ImageID
    /// Whether an operator took the picture down. Then the same bytes are never accepted again.
    public let byOperator: Bool

    public init(image: ImageID, byOperator: Bool) {
        (self.image, self.byOperator) = (image, byOperator)
    }
}

/// An operator suspended an account: its sessions end, and nobody can sign in to it until an operator reinstates it. See
/// ``Account/isSuspended``.
public struct AccountSuspended: Hashable, Sendable {
    public let account: AccountID
    public let reason: TypedText

    public init(account: AccountID, reason: TypedText) {
        (self.account, self.reason) = (account, reason)
    }
}

/// An operator ended the suspension of an account.
public struct AccountReinstated: Hashable, Sendable {
    public let account: AccountID
    /// The operator's reason; may be empty.
    public let reason: TypedText

    public init(account: AccountID, reason: TypedText) {
        (self.account, self.reason) = (account, reason)
    }
}

/// An operator looked up the account of a phone number, or a shop's member the customer of one. The event does not contain the number.
public struct AccountSearched: Hashable, Sendable {
    /// The account that was found; nil for a number that no account has, or no holder of a card at the shop.
    public let account: AccountID?
    /// Since version 2. The member's shop; nil for an operator.
    public let shop: ShopID?

    public init(account: AccountID? = nil, shop: ShopID? = nil) {
        (self.account, self.shop) = (account, shop)
    }
}

/// An operator requested another phone number for an account whose holder lost the present number.
public struct PhoneChangeRequested: Hashable, Sendable {
    public let account: AccountID
    /// The new number, sealed under the account's key.
    public let sealedPhone: Sealed
    public let reason: TypedText
    /// The moment at which the new number replaces the present one. Until then the account's holder can object to it.
    public let holdsAt: Instant

    public init(account: AccountID, sealedPhone: Sealed, reason: TypedText, holdsAt: Instant) {
        (self.account, self.sealedPhone, self.reason, self.holdsAt) = (account, sealedPhone, reason, holdsAt)
    }
}

/// The holder of an account objected to the number that an operator requested.
public struct PhoneChangeEnded: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}

/// A shop printed paper cards of a campaign.
public struct PaperCardsPrinted: Hashable, Sendable {
    public let print: PrintID
    public let campaign: CampaignID
    public let shop: ShopID
    /// Keyed hash of the first half of a card's code. The half is the same on all cards of the print.
    public let secret: Secret
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The first half of the codes is
    /// derived from the print's id and this number.
    public let attempt: Int
    /// The number of paper cards that were printed at once, 1 to 500.
    public let count: Int

    public init(print: PrintID, campaign: CampaignID, shop: ShopID, secret: Secret, attempt: Int, count: Int) {
        (self.print, self.campaign, self.shop, self.secret, self.attempt, self.count) = (print, campaign, shop, secret, attempt, count)
    }
}

/// The shop stamped a paper card. The previous event issued a code, which is now a waiting code of this paper card.
public struct PaperStamped: Hashable, Sendable, SharedEvent {
    public let paper: PaperName
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    /// The stamps that the code is worth, 1 to 10.
    public let stamps: Int

    public init(paper: PaperName, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, stamps: Int) {
        (self.paper, self.code, self.campaign, self.shop, self.home, self.stamps) = (paper, code, campaign, shop, home, stamps)
    }
}

/// An account took a paper card. The events that follow in the same step use the waiting codes for the account's cards.
public struct PaperCardTaken: Hashable, Sendable {
    public let paper: PaperName
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The total worth of the waiting codes that were used, in stamps, 0 to 50. If the account may fill no further card, the remaining
    /// waiting codes are not used, and their stamps are lost.
    public let stamps: Int

    public init(paper: PaperName, campaign: CampaignID, shop: ShopID, holder: AccountID, stamps: Int) {
        (self.paper, self.campaign, self.shop, self.holder, self.stamps) = (paper, campaign, shop, holder, stamps)
    }
}

/// The shop took back a waiting code of a paper card.
public struct PaperStampReversed: Hashable, Sendable, SharedEvent {
    public let paper: PaperName
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    /// The stamps that the code is worth, 1 to 10.
    public let stamps: Int
    public let reason: TypedText

    public init(paper: PaperName, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, stamps: Int, reason: TypedText) {
        (self.paper, self.code, self.campaign, self.shop, self.home, self.stamps) = (paper, code, campaign, shop, home, stamps)
        self.reason = reason
    }
}

/// An account saved a search for campaigns. Its name and terms are sealed under the account's key.
public struct SearchSaved: Hashable, Sendable {
    public let search: SearchID
    public let account: AccountID
    public let terms: Sealed
    /// Whether a notice a day names new campaigns.
    public let alerts: Bool

    public init(search: SearchID, account: AccountID, terms: Sealed, alerts: Bool) {
        (self.search, self.account, self.terms, self.alerts) = (search, account, terms, alerts)
    }
}

/// An account changed a saved search. The event has all of it.
public struct SearchEdited: Hashable, Sendable {
    public let search: SearchID
    public let account: AccountID
    public let terms: Sealed
    public let alerts: Bool

    public init(search: SearchID, account: AccountID, terms: Sealed, alerts: Bool) {
        (self.search, self.account, self.terms, self.alerts) = (search, account, terms, alerts)
    }
}

/// An account removed a saved search.
public struct SearchRemoved: Hashable, Sendable {
    public let search: SearchID
    public let account: AccountID

    public init(search: SearchID, account: AccountID) {
        (self.search, self.account) = (search, account)
    }
}

/// An account has seen what a saved search finds. Only campaigns published after this event are new to it.
public struct SearchSeen: Hashable, Sendable {
    public let search: SearchID
    public let account: AccountID

    public init(search: SearchID, account: AccountID) {
        (self.search, self.account) = (search, account)
    }
}

/// A notice named new campaigns that a saved search finds, at most once a day.
public struct SearchAlerted: Hashable, Sendable {
    public let search: SearchID
    public let account: AccountID
    /// The notice that shows them to the account.
    public let notice: NoticeID
    /// The moment from which the notice was due: a day after the search was saved or changed, or the last notice.
    public let dueAt: Instant
    /// The position up to which campaigns were searched, before this event.
    public let through: SearchedThrough
    /// Ids of 16 bytes, 1 to 20, the newest first.
    public let campaigns: FoundCampaigns
    /// Whether there were more.
    public let hasMore: Bool

    public init(
        search: SearchID, account: AccountID, notice: NoticeID, dueAt: Instant, through: SearchedThrough, campaigns: FoundCampaigns,
        hasMore: Bool
    ) {
        (self.search, self.account, self.notice, self.dueAt, self.through) = (search, account, notice, dueAt, through)
        (self.campaigns, self.hasMore) = (campaigns, hasMore)
    }
}

extension Account: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Account>? {
        switch event {
        case .accountRegistered(let event): event.account
        case .profileEdited(let event): event.account
        case .passwordSet(let event): event.account
        case .accountErased(let event): event.account
        case .passwordRemoved(let event): event.account
        case .phoneChanged(let event): event.account
        case .accountSuspended(let event): event.account
        case .accountReinstated(let event): event.account
        case .phoneChangeRequested(let event): event.account
        case .phoneChangeEnded(let event): event.account
        default: nil
        }
    }
}

extension Session: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Session>? {
        switch event {
        case .sessionStarted(let event): event.session
        case .sessionRefreshed(let event): event.session
        case .sessionEnded(let event): event.session
        default: nil
        }
    }
}

extension Shop: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Shop>? {
        switch event {
        case .shopOpened(let event): event.shop
        case .shopEdited(let event): event.shop
        case .staffAdded(let event): event.shop
        case .staffRemoved(let event): event.shop
        case .shopSuspended(let event): event.shop
        case .shopReinstated(let event): event.shop
        case .staffInvited(let event): event.shop
        case .invitationEnded(let event): event.shop
        case .staffJoined(let event): event.shop
        case .employmentEnded(let event): event.shop
        case .roleChanged(let event): event.shop
        case .transferOffered(let event): event.shop
        case .shopTransferred(let event): event.shop
        case .transferLapsed(let event): event.shop
        case .waitingOfferTaken(let event): event.shop
        case .shopClosed(let event): event.shop
        default: nil
        }
    }
}

extension Campaign: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Campaign>? {
        switch event {
        case .campaignPublished(let event): event.campaign
        case .campaignEnded(let event): event.campaign
        case .campaignEdited(let event): event.campaign
        case .campaignReopened(let event): event.campaign
        default: nil
        }
    }
}

extension Code: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Code>? {
        switch event {
        case .codeIssued(let event): event.code
        case .codeDestroyed(let event): event.code
        case .cardStamped(let event): event.code
        case .stampReversed(let event): event.code
        case .paperStamped(let event): event.code
        case .paperStampReversed(let event): event.code
        default: nil
        }
    }
}

extension Card: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Card>? {
        switch event {
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
}

extension Redemption: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Redemption>? {
        switch event {
        case .redemptionRequested(let event): event.redemption
        case .cardRedeemed(let event): event.redemption
        case .redemptionReversed(let event): event.redemption
        case .milestoneRequested(let event): event.redemption
        case .milestoneRedeemed(let event): event.redemption
        case .milestoneReversed(let event): event.redemption
        default: nil
        }
    }
}

extension Review: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Review>? {
        switch event {
        case .reviewPosted(let event): event.review
        case .replyPosted(let event): event.reply
        case .reviewRemoved(let event): event.review
        default: nil
        }
    }
}

extension Notice: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Notice>? {
        switch event {
        case .cardReminded(let event): event.notice
        case .noticePosted(let event): event.notice
        case .noticeScheduled(let event): event.notice
        case .noticeWithdrawn(let event): event.notice
        case .noticeLapsed(let event): event.notice
        case .searchAlerted(let event): event.notice
        default: nil
        }
    }
}

extension Invitation: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Invitation>? {
        switch event {
        case .staffInvited(let event): event.invitation
        case .invitationEnded(let event): event.invitation
        case .staffJoined(let event): event.invitation
        case .roleChanged(let event): event.invitation
        case .transferOffered(let event): event.invitation
        case .shopTransferred(let event): event.invitation
        case .transferLapsed(let event): event.invitation
        case .waitingOfferTaken(let event): event.invitation
        default: nil
        }
    }
}

extension PaperPrint: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<PaperPrint>? {
        switch event {
        case .paperCardsPrinted(let event): event.print
        default: nil
        }
    }
}

extension Paper: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<Paper>? {
        switch event {
        case .paperStamped(let event): event.paper.id
        case .paperCardTaken(let event): event.paper.id
        case .paperStampReversed(let event): event.paper.id
        default: nil
        }
    }
}

extension SavedSearch: Entity {
    public static func id(in event: LoyaltyEvent) -> ID<SavedSearch>? {
        switch event {
        case .searchSaved(let event): event.search
        case .searchEdited(let event): event.search
        case .searchRemoved(let event): event.search
        case .searchSeen(let event): event.search
        case .searchAlerted(let event): event.search
        default: nil
        }
    }
}
