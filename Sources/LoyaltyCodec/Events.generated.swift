// Made by Tools/generate from Sources/LoyaltyCodec/Proto/events.proto. Not to be edited.
public import EventLog
public import Loyalty

/// The event types and their numbers in logs.
enum WireType: UInt16, CaseIterable {
    case accountRegistered = 1
    case sessionStarted = 2
    case sessionRefreshed = 3
    case sessionEnded = 4
    case profileEdited = 5
    case passwordSet = 6
    case accountErased = 7
    case passwordRemoved = 8
    case phoneChanged = 9
    case shopOpened = 10
    case shopEdited = 11
    case staffAdded = 12
    case staffRemoved = 13
    case shopSuspended = 14
    case shopReinstated = 15
    case campaignPublished = 20
    case campaignEnded = 21
    case campaignEdited = 22
    case campaignReopened = 23
    case codeIssued = 30
    case codeDestroyed = 31
    case cardOpened = 40
    case cardStamped = 41
    case cardDiscarded = 42
    case cardAdjusted = 43
    case stampReversed = 44
    case cardExpired = 45
    case cardReminded = 46
    case waitingCardTaken = 47
    case redemptionRequested = 50
    case cardRedeemed = 51
    case redemptionReversed = 52
    case milestoneRequested = 53
    case milestoneRedeemed = 54
    case milestoneReversed = 55
    case reviewPosted = 60
    case replyPosted = 61
    case reviewRemoved = 62
    case favoriteAdded = 70
    case favoriteRemoved = 71
    case noticePosted = 80
    case noticeRead = 81
    case noticeScheduled = 82
    case noticeWithdrawn = 83
    case noticeLapsed = 84
    case feedbackGiven = 90
    case staffInvited = 100
    case invitationEnded = 101
    case staffJoined = 102
    case employmentEnded = 103
    case shopMuted = 104
    case shopUnmuted = 105
    case roleChanged = 106
    case transferOffered = 107
    case shopTransferred = 108
    case transferLapsed = 109
    case shopClosed = 111
    case imageTakenDown = 120
    case accountSuspended = 140
    case accountReinstated = 141
    case accountSearched = 142
    case phoneChangeRequested = 143
    case phoneChangeEnded = 144
    case paperCardsPrinted = 150
    case paperStamped = 151
    case paperCardTaken = 152
    case paperStampReversed = 153

    /// The name of the type. Each log stores it once, together with the number.
    var name: String {
        switch self {
        case .accountRegistered: "AccountRegistered"
        case .sessionStarted: "SessionStarted"
        case .sessionRefreshed: "SessionRefreshed"
        case .sessionEnded: "SessionEnded"
        case .profileEdited: "ProfileEdited"
        case .passwordSet: "PasswordSet"
        case .accountErased: "AccountErased"
        case .passwordRemoved: "PasswordRemoved"
        case .phoneChanged: "PhoneChanged"
        case .shopOpened: "ShopOpened"
        case .shopEdited: "ShopEdited"
        case .staffAdded: "StaffAdded"
        case .staffRemoved: "StaffRemoved"
        case .shopSuspended: "ShopSuspended"
        case .shopReinstated: "ShopReinstated"
        case .campaignPublished: "CampaignPublished"
        case .campaignEnded: "CampaignEnded"
        case .campaignEdited: "CampaignEdited"
        case .campaignReopened: "CampaignReopened"
        case .codeIssued: "CodeIssued"
        case .codeDestroyed: "CodeDestroyed"
        case .cardOpened: "CardOpened"
        case .cardStamped: "CardStamped"
        case .cardDiscarded: "CardDiscarded"
        case .cardAdjusted: "CardAdjusted"
        case .stampReversed: "StampReversed"
        case .cardExpired: "CardExpired"
        case .cardReminded: "CardReminded"
        case .waitingCardTaken: "WaitingCardTaken"
        case .redemptionRequested: "RedemptionRequested"
        case .cardRedeemed: "CardRedeemed"
        case .redemptionReversed: "RedemptionReversed"
        case .milestoneRequested: "MilestoneRequested"
        case .milestoneRedeemed: "MilestoneRedeemed"
        case .milestoneReversed: "MilestoneReversed"
        case .reviewPosted: "ReviewPosted"
        case .replyPosted: "ReplyPosted"
        case .reviewRemoved: "ReviewRemoved"
        case .favoriteAdded: "FavoriteAdded"
        case .favoriteRemoved: "FavoriteRemoved"
        case .noticePosted: "NoticePosted"
        case .noticeRead: "NoticeRead"
        case .noticeScheduled: "NoticeScheduled"
        case .noticeWithdrawn: "NoticeWithdrawn"
        case .noticeLapsed: "NoticeLapsed"
        case .feedbackGiven: "FeedbackGiven"
        case .staffInvited: "StaffInvited"
        case .invitationEnded: "InvitationEnded"
        case .staffJoined: "StaffJoined"
        case .employmentEnded: "EmploymentEnded"
        case .shopMuted: "ShopMuted"
        case .shopUnmuted: "ShopUnmuted"
        case .roleChanged: "RoleChanged"
        case .transferOffered: "TransferOffered"
        case .shopTransferred: "ShopTransferred"
        case .transferLapsed: "TransferLapsed"
        case .shopClosed: "ShopClosed"
        case .imageTakenDown: "ImageTakenDown"
        case .accountSuspended: "AccountSuspended"
        case .accountReinstated: "AccountReinstated"
        case .accountSearched: "AccountSearched"
        case .phoneChangeRequested: "PhoneChangeRequested"
        case .phoneChangeEnded: "PhoneChangeEnded"
        case .paperCardsPrinted: "PaperCardsPrinted"
        case .paperStamped: "PaperStamped"
        case .paperCardTaken: "PaperCardTaken"
        case .paperStampReversed: "PaperStampReversed"
        }
    }

    /// The schema version that is written today; for a retired type, the last one that was written.
    var currentVersion: UInt16 {
        switch self {
        case .accountRegistered: 1
        case .sessionStarted: 1
        case .sessionRefreshed: 1
        case .sessionEnded: 1
        case .profileEdited: 1
        case .passwordSet: 1
        case .accountErased: 1
        case .passwordRemoved: 1
        case .phoneChanged: 1
        case .shopOpened: 4
        case .shopEdited: 3
        case .staffAdded: 1
        case .staffRemoved: 1
        case .shopSuspended: 2
        case .shopReinstated: 2
        case .campaignPublished: 6
        case .campaignEnded: 1
        case .campaignEdited: 5
        case .campaignReopened: 1
        case .codeIssued: 2
        case .codeDestroyed: 1
        case .cardOpened: 6
        case .cardStamped: 3
        case .cardDiscarded: 1
        case .cardAdjusted: 2
        case .stampReversed: 3
        case .cardExpired: 1
        case .cardReminded: 1
        case .waitingCardTaken: 1
        case .redemptionRequested: 1
        case .cardRedeemed: 2
        case .redemptionReversed: 3
        case .milestoneRequested: 1
        case .milestoneRedeemed: 2
        case .milestoneReversed: 2
        case .reviewPosted: 1
        case .replyPosted: 1
        case .reviewRemoved: 1
        case .favoriteAdded: 1
        case .favoriteRemoved: 1
        case .noticePosted: 2
        case .noticeRead: 1
        case .noticeScheduled: 1
        case .noticeWithdrawn: 1
        case .noticeLapsed: 1
        case .feedbackGiven: 1
        case .staffInvited: 2
        case .invitationEnded: 1
        case .staffJoined: 2
        case .employmentEnded: 1
        case .shopMuted: 1
        case .shopUnmuted: 1
        case .roleChanged: 1
        case .transferOffered: 1
        case .shopTransferred: 1
        case .transferLapsed: 1
        case .shopClosed: 1
        case .imageTakenDown: 1
        case .accountSuspended: 1
        case .accountReinstated: 1
        case .accountSearched: 1
        case .phoneChangeRequested: 1
        case .phoneChangeEnded: 1
        case .paperCardsPrinted: 1
        case .paperStamped: 2
        case .paperCardTaken: 1
        case .paperStampReversed: 2
        }
    }
}

/// The numbers of the event types.
extension EventType {
    /// A person signed in for the first time.
    @inlinable public static var accountRegistered: EventType { EventType(rawValue: 1) }
    /// An account signed in, which begins a session.
    @inlinable public static var sessionStarted: EventType { EventType(rawValue: 2) }
    /// The refresh token of a session was used, and a new token replaced it.
    @inlinable public static var sessionRefreshed: EventType { EventType(rawValue: 3) }
    /// The session has ended; none of its tokens is valid any more.
    @inlinable public static var sessionEnded: EventType { EventType(rawValue: 4) }
    /// A person changed their profile.
    @inlinable public static var profileEdited: EventType { EventType(rawValue: 5) }
    /// A person set a password, or replaced their present password.
    @inlinable public static var passwordSet: EventType { EventType(rawValue: 6) }
    /// An account was erased.
    @inlinable public static var accountErased: EventType { EventType(rawValue: 7) }
    /// A person removed their password, and from now on signs in by text message alone.
    @inlinable public static var passwordRemoved: EventType { EventType(rawValue: 8) }
    /// An account has another phone number from now on.
    @inlinable public static var phoneChanged: EventType { EventType(rawValue: 9) }
    /// A merchant opened a shop.
    @inlinable public static var shopOpened: EventType { EventType(rawValue: 10) }
    /// The owner changed a shop's data.
    @inlinable public static var shopEdited: EventType { EventType(rawValue: 11) }
    /// An account works for a shop from now on.
    @inlinable public static var staffAdded: EventType { EventType(rawValue: 12) }
    /// An account no longer works for a shop.
    @inlinable public static var staffRemoved: EventType { EventType(rawValue: 13) }
    /// An operator suspended a shop: no stamps are collected at the shop until an operator reinstates it.
    @inlinable public static var shopSuspended: EventType { EventType(rawValue: 14) }
    /// An operator reinstated a suspended shop.
    @inlinable public static var shopReinstated: EventType { EventType(rawValue: 15) }
    /// A shop announced a campaign.
    @inlinable public static var campaignPublished: EventType { EventType(rawValue: 20) }
    /// A campaign ended before its time: the owner or a manager ended it, or its shop closed.
    @inlinable public static var campaignEnded: EventType { EventType(rawValue: 21) }
    /// The owner or a manager changed a campaign.
    @inlinable public static var campaignEdited: EventType { EventType(rawValue: 22) }
    /// The owner or a manager took back the early end of a campaign: it runs on as if it had not ended.
    @inlinable public static var campaignReopened: EventType { EventType(rawValue: 23) }
    /// The shop issued a one-time stamp code (集点码).
    @inlinable public static var codeIssued: EventType { EventType(rawValue: 30) }
    /// The shop withdrew an unused code.
    @inlinable public static var codeDestroyed: EventType { EventType(rawValue: 31) }
    /// A customer opened a card, or claimed a coupon.
    @inlinable public static var cardOpened: EventType { EventType(rawValue: 40) }
    /// A code added stamps to a card (集点).
    @inlinable public static var cardStamped: EventType { EventType(rawValue: 41) }
    /// The holder discarded the card, or a reversal emptied and discarded it because an older card collects again.
    @inlinable public static var cardDiscarded: EventType { EventType(rawValue: 42) }
    /// An operator corrected a card's stamps.
    @inlinable public static var cardAdjusted: EventType { EventType(rawValue: 43) }
    /// The shop took back stamps that a code gave.
    @inlinable public static var stampReversed: EventType { EventType(rawValue: 44) }
    /// The card's time is over.
    @inlinable public static var cardExpired: EventType { EventType(rawValue: 45) }
    /// A reminder to a card's holder that the card's time will soon be over.
    @inlinable public static var cardReminded: EventType { EventType(rawValue: 46) }
    /// An account took over a card that waited for the holder of its phone number, or one of its own cards got stamps of such a card.
    @inlinable public static var waitingCardTaken: EventType { EventType(rawValue: 47) }
    /// The holder of a full card requested a one-time redemption code.
    @inlinable public static var redemptionRequested: EventType { EventType(rawValue: 50) }
    /// The shop verified the redemption code and handed out the reward (兑换).
    @inlinable public static var cardRedeemed: EventType { EventType(rawValue: 51) }
    /// The shop took back a reward that it had handed out by mistake: the card is full again.
    @inlinable public static var redemptionReversed: EventType { EventType(rawValue: 52) }
    /// The holder of a card requested a one-time code for a milestone's reward.
    @inlinable public static var milestoneRequested: EventType { EventType(rawValue: 53) }
    /// The shop handed out a milestone's reward.
    @inlinable public static var milestoneRedeemed: EventType { EventType(rawValue: 54) }
    /// The shop took back a milestone's reward that it had handed out by mistake.
    @inlinable public static var milestoneReversed: EventType { EventType(rawValue: 55) }
    /// A customer rated a shop, wrote about it, or both.
    @inlinable public static var reviewPosted: EventType { EventType(rawValue: 60) }
    /// An account answered a review or another reply.
    @inlinable public static var replyPosted: EventType { EventType(rawValue: 61) }
    /// A review or a reply was removed, by its author or by an operator.
    @inlinable public static var reviewRemoved: EventType { EventType(rawValue: 62) }
    /// An account added a campaign to its favourites.
    @inlinable public static var favoriteAdded: EventType { EventType(rawValue: 70) }
    /// An account removed a campaign from its favourites.
    @inlinable public static var favoriteRemoved: EventType { EventType(rawValue: 71) }
    /// The operator or a shop posted a notice to many accounts.
    @inlinable public static var noticePosted: EventType { EventType(rawValue: 80) }
    /// An account has read a notice.
    @inlinable public static var noticeRead: EventType { EventType(rawValue: 81) }
    /// A notice was scheduled for later.
    @inlinable public static var noticeScheduled: EventType { EventType(rawValue: 82) }
    /// The author took a notice back before it appeared.
    @inlinable public static var noticeWithdrawn: EventType { EventType(rawValue: 83) }
    /// A scheduled notice did not appear at the time that its author had named: the author was erased or suspended, or no longer owned or
    /// managed the shop, or the shop was suspended or had closed.
    @inlinable public static var noticeLapsed: EventType { EventType(rawValue: 84) }
    /// An account sent the operator feedback about the service.
    @inlinable public static var feedbackGiven: EventType { EventType(rawValue: 90) }
    /// The owner offered an account work at the shop.
    @inlinable public static var staffInvited: EventType { EventType(rawValue: 100) }
    /// An offer was declined by the invited account, or ended by the shop's owner.
    @inlinable public static var invitationEnded: EventType { EventType(rawValue: 101) }
    /// The invited account accepted an offer: it works for the shop from now on.
    @inlinable public static var staffJoined: EventType { EventType(rawValue: 102) }
    /// An account no longer works for a shop: the owner removed it or closed the shop, or it left or was erased.
    @inlinable public static var employmentEnded: EventType { EventType(rawValue: 103) }
    /// An account muted a shop.
    @inlinable public static var shopMuted: EventType { EventType(rawValue: 104) }
    /// An account ended its mute of a shop.
    @inlinable public static var shopUnmuted: EventType { EventType(rawValue: 105) }
    /// The owner lowered a member's role, or a member accepted a higher role.
    @inlinable public static var roleChanged: EventType { EventType(rawValue: 106) }
    /// The owner offered a shop to another account.
    @inlinable public static var transferOffered: EventType { EventType(rawValue: 107) }
    /// The account that was offered a shop accepted it: it owns the shop from now on, and the former owner has no role at the shop.
    @inlinable public static var shopTransferred: EventType { EventType(rawValue: 108) }
    /// The offer of a shop has lapsed, because nobody answered it in time.
    @inlinable public static var transferLapsed: EventType { EventType(rawValue: 109) }
    /// A shop closed for good: its campaigns end in the same step, its open codes are void, and searches no longer find it.
    @inlinable public static var shopClosed: EventType { EventType(rawValue: 111) }
    /// A picture was taken down: its bytes are removed, even if events or states still name it.
    @inlinable public static var imageTakenDown: EventType { EventType(rawValue: 120) }
    /// An operator suspended an account: its sessions end, and nobody can sign in to it until an operator reinstates it.
    @inlinable public static var accountSuspended: EventType { EventType(rawValue: 140) }
    /// An operator ended the suspension of an account.
    @inlinable public static var accountReinstated: EventType { EventType(rawValue: 141) }
    /// An operator looked up the account of a phone number.
    @inlinable public static var accountSearched: EventType { EventType(rawValue: 142) }
    /// An operator requested another phone number for an account whose holder lost the present number.
    @inlinable public static var phoneChangeRequested: EventType { EventType(rawValue: 143) }
    /// The holder of an account objected to the number that an operator requested.
    @inlinable public static var phoneChangeEnded: EventType { EventType(rawValue: 144) }
    /// A shop printed paper cards of a campaign.
    @inlinable public static var paperCardsPrinted: EventType { EventType(rawValue: 150) }
    /// The shop stamped a paper card.
    @inlinable public static var paperStamped: EventType { EventType(rawValue: 151) }
    /// An account took a paper card.
    @inlinable public static var paperCardTaken: EventType { EventType(rawValue: 152) }
    /// The shop took back a waiting code of a paper card.
    @inlinable public static var paperStampReversed: EventType { EventType(rawValue: 153) }
}

extension LoyaltyEvent {
    var wireType: WireType {
        switch self {
        case .accountRegistered: .accountRegistered
        case .sessionStarted: .sessionStarted
        case .sessionRefreshed: .sessionRefreshed
        case .sessionEnded: .sessionEnded
        case .profileEdited: .profileEdited
        case .passwordSet: .passwordSet
        case .accountErased: .accountErased
        case .passwordRemoved: .passwordRemoved
        case .phoneChanged: .phoneChanged
        case .shopOpened: .shopOpened
        case .shopEdited: .shopEdited
        case .staffAdded: .staffAdded
        case .staffRemoved: .staffRemoved
        case .shopSuspended: .shopSuspended
        case .shopReinstated: .shopReinstated
        case .campaignPublished: .campaignPublished
        case .campaignEnded: .campaignEnded
        case .campaignEdited: .campaignEdited
        case .campaignReopened: .campaignReopened
        case .codeIssued: .codeIssued
        case .codeDestroyed: .codeDestroyed
        case .cardOpened: .cardOpened
        case .cardStamped: .cardStamped
        case .cardDiscarded: .cardDiscarded
        case .cardAdjusted: .cardAdjusted
        case .stampReversed: .stampReversed
        case .cardExpired: .cardExpired
        case .cardReminded: .cardReminded
        case .waitingCardTaken: .waitingCardTaken
        case .redemptionRequested: .redemptionRequested
        case .cardRedeemed: .cardRedeemed
        case .redemptionReversed: .redemptionReversed
        case .milestoneRequested: .milestoneRequested
        case .milestoneRedeemed: .milestoneRedeemed
        case .milestoneReversed: .milestoneReversed
        case .reviewPosted: .reviewPosted
        case .replyPosted: .replyPosted
        case .reviewRemoved: .reviewRemoved
        case .favoriteAdded: .favoriteAdded
        case .favoriteRemoved: .favoriteRemoved
        case .noticePosted: .noticePosted
        case .noticeRead: .noticeRead
        case .noticeScheduled: .noticeScheduled
        case .noticeWithdrawn: .noticeWithdrawn
        case .noticeLapsed: .noticeLapsed
        case .feedbackGiven: .feedbackGiven
        case .staffInvited: .staffInvited
        case .invitationEnded: .invitationEnded
        case .staffJoined: .staffJoined
        case .employmentEnded: .employmentEnded
        case .shopMuted: .shopMuted
        case .shopUnmuted: .shopUnmuted
        case .roleChanged: .roleChanged
        case .transferOffered: .transferOffered
        case .shopTransferred: .shopTransferred
        case .transferLapsed: .transferLapsed
        case .shopClosed: .shopClosed
        case .imageTakenDown: .imageTakenDown
        case .accountSuspended: .accountSuspended
        case .accountReinstated: .accountReinstated
        case .accountSearched: .accountSearched
        case .phoneChangeRequested: .phoneChangeRequested
        case .phoneChangeEnded: .phoneChangeEnded
        case .paperCardsPrinted: .paperCardsPrinted
        case .paperStamped: .paperStamped
        case .paperCardTaken: .paperCardTaken
        case .paperStampReversed: .paperStampReversed
        }
    }

    func draft() throws(CodecError) -> EventDraft {
        switch self {
        case .accountRegistered(let event): try event.draft()
        case .sessionStarted(let event): try event.draft()
        case .sessionRefreshed(let event): try event.draft()
        case .sessionEnded(let event): try event.draft()
        case .profileEdited(let event): try event.draft()
        case .passwordSet(let event): try event.draft()
        case .accountErased(let event): try event.draft()
        case .passwordRemoved(let event): try event.draft()
        case .phoneChanged(let event): try event.draft()
        case .shopOpened(let event): try event.draft()
        case .shopEdited(let event): try event.draft()
        case .staffAdded(let event): try event.draft()
        case .staffRemoved(let event): try event.draft()
        case .shopSuspended(let event): try event.draft()
        case .shopReinstated(let event): try event.draft()
        case .campaignPublished(let event): try event.draft()
        case .campaignEnded(let event): try event.draft()
        case .campaignEdited(let event): try event.draft()
        case .campaignReopened(let event): try event.draft()
        case .codeIssued(let event): try event.draft()
        case .codeDestroyed(let event): try event.draft()
        case .cardOpened(let event): try event.draft()
        case .cardStamped(let event): try event.draft()
        case .cardDiscarded(let event): try event.draft()
        case .cardAdjusted(let event): try event.draft()
        case .stampReversed(let event): try event.draft()
        case .cardExpired(let event): try event.draft()
        case .cardReminded(let event): try event.draft()
        case .waitingCardTaken(let event): try event.draft()
        case .redemptionRequested(let event): try event.draft()
        case .cardRedeemed(let event): try event.draft()
        case .redemptionReversed(let event): try event.draft()
        case .milestoneRequested(let event): try event.draft()
        case .milestoneRedeemed(let event): try event.draft()
        case .milestoneReversed(let event): try event.draft()
        case .reviewPosted(let event): try event.draft()
        case .replyPosted(let event): try event.draft()
        case .reviewRemoved(let event): try event.draft()
        case .favoriteAdded(let event): try event.draft()
        case .favoriteRemoved(let event): try event.draft()
        case .noticePosted(let event): try event.draft()
        case .noticeRead(let event): try event.draft()
        case .noticeScheduled(let event): try event.draft()
        case .noticeWithdrawn(let event): try event.draft()
        case .noticeLapsed(let event): try event.draft()
        case .feedbackGiven(let event): try event.draft()
        case .staffInvited(let event): try event.draft()
        case .invitationEnded(let event): try event.draft()
        case .staffJoined(let event): try event.draft()
        case .employmentEnded(let event): try event.draft()
        case .shopMuted(let event): try event.draft()
        case .shopUnmuted(let event): try event.draft()
        case .roleChanged(let event): try event.draft()
        case .transferOffered(let event): try event.draft()
        case .shopTransferred(let event): try event.draft()
        case .transferLapsed(let event): try event.draft()
        case .shopClosed(let event): try event.draft()
        case .imageTakenDown(let event): try event.draft()
        case .accountSuspended(let event): try event.draft()
        case .accountReinstated(let event): try event.draft()
        case .accountSearched(let event): try event.draft()
        case .phoneChangeRequested(let event): try event.draft()
        case .phoneChangeEnded(let event): try event.draft()
        case .paperCardsPrinted(let event): try event.draft()
        case .paperStamped(let event): try event.draft()
        case .paperCardTaken(let event): try event.draft()
        case .paperStampReversed(let event): try event.draft()
        }
    }

    /// The fields in the order in which they are shown.
    var fields: [FactField] {
        switch self {
        case .accountRegistered(let event): event.fields
        case .sessionStarted(let event): event.fields
        case .sessionRefreshed(let event): event.fields
        case .sessionEnded(let event): event.fields
        case .profileEdited(let event): event.fields
        case .passwordSet(let event): event.fields
        case .accountErased(let event): event.fields
        case .passwordRemoved(let event): event.fields
        case .phoneChanged(let event): event.fields
        case .shopOpened(let event): event.fields
        case .shopEdited(let event): event.fields
        case .staffAdded(let event): event.fields
        case .staffRemoved(let event): event.fields
        case .shopSuspended(let event): event.fields
        case .shopReinstated(let event): event.fields
        case .campaignPublished(let event): event.fields
        case .campaignEnded(let event): event.fields
        case .campaignEdited(let event): event.fields
        case .campaignReopened(let event): event.fields
        case .codeIssued(let event): event.fields
        case .codeDestroyed(let event): event.fields
        case .cardOpened(let event): event.fields
        case .cardStamped(let event): event.fields
        case .cardDiscarded(let event): event.fields
        case .cardAdjusted(let event): event.fields
        case .stampReversed(let event): event.fields
        case .cardExpired(let event): event.fields
        case .cardReminded(let event): event.fields
        case .waitingCardTaken(let event): event.fields
        case .redemptionRequested(let event): event.fields
        case .cardRedeemed(let event): event.fields
        case .redemptionReversed(let event): event.fields
        case .milestoneRequested(let event): event.fields
        case .milestoneRedeemed(let event): event.fields
        case .milestoneReversed(let event): event.fields
        case .reviewPosted(let event): event.fields
        case .replyPosted(let event): event.fields
        case .reviewRemoved(let event): event.fields
        case .favoriteAdded(let event): event.fields
        case .favoriteRemoved(let event): event.fields
        case .noticePosted(let event): event.fields
        case .noticeRead(let event): event.fields
        case .noticeScheduled(let event): event.fields
        case .noticeWithdrawn(let event): event.fields
        case .noticeLapsed(let event): event.fields
        case .feedbackGiven(let event): event.fields
        case .staffInvited(let event): event.fields
        case .invitationEnded(let event): event.fields
        case .staffJoined(let event): event.fields
        case .employmentEnded(let event): event.fields
        case .shopMuted(let event): event.fields
        case .shopUnmuted(let event): event.fields
        case .roleChanged(let event): event.fields
        case .transferOffered(let event): event.fields
        case .shopTransferred(let event): event.fields
        case .transferLapsed(let event): event.fields
        case .shopClosed(let event): event.fields
        case .imageTakenDown(let event): event.fields
        case .accountSuspended(let event): event.fields
        case .accountReinstated(let event): event.fields
        case .accountSearched(let event): event.fields
        case .phoneChangeRequested(let event): event.fields
        case .phoneChangeEnded(let event): event.fields
        case .paperCardsPrinted(let event): event.fields
        case .paperStamped(let event): event.fields
        case .paperCardTaken(let event): event.fields
        case .paperStampReversed(let event): event.fields
        }
    }

    /// Decodes an event of today's version.
    init(current event: some StoredEvent & ~Escapable, _ type: WireType) throws(CodecError) {
        switch type {
        case .accountRegistered: self = .accountRegistered(try AccountRegistered(current: event))
        case .sessionStarted: self = .sessionStarted(try SessionStarted(current: event))
        case .sessionRefreshed: self = .sessionRefreshed(try SessionRefreshed(current: event))
        case .sessionEnded: self = .sessionEnded(try SessionEnded(current: event))
        case .profileEdited: self = .profileEdited(try ProfileEdited(current: event))
        case .passwordSet: self = .passwordSet(try PasswordSet(current: event))
        case .accountErased: self = .accountErased(try AccountErased(current: event))
        case .passwordRemoved: self = .passwordRemoved(try PasswordRemoved(current: event))
        case .phoneChanged: self = .phoneChanged(try PhoneChanged(current: event))
        case .shopOpened: self = .shopOpened(try ShopOpened(current: event))
        case .shopEdited: self = .shopEdited(try ShopEdited(current: event))
        case .staffAdded: self = .staffAdded(try StaffAdded(current: event))
        case .staffRemoved: self = .staffRemoved(try StaffRemoved(current: event))
        case .shopSuspended: self = .shopSuspended(try ShopSuspended(current: event))
        case .shopReinstated: self = .shopReinstated(try ShopReinstated(current: event))
        case .campaignPublished: self = .campaignPublished(try CampaignPublished(current: event))
        case .campaignEnded: self = .campaignEnded(try CampaignEnded(current: event))
        case .campaignEdited: self = .campaignEdited(try CampaignEdited(current: event))
        case .campaignReopened: self = .campaignReopened(try CampaignReopened(current: event))
        case .codeIssued: self = .codeIssued(try CodeIssued(current: event))
        case .codeDestroyed: self = .codeDestroyed(try CodeDestroyed(current: event))
        case .cardOpened: self = .cardOpened(try CardOpened(current: event))
        case .cardStamped: self = .cardStamped(try CardStamped(current: event))
        case .cardDiscarded: self = .cardDiscarded(try CardDiscarded(current: event))
        case .cardAdjusted: self = .cardAdjusted(try CardAdjusted(current: event))
        case .stampReversed: self = .stampReversed(try StampReversed(current: event))
        case .cardExpired: self = .cardExpired(try CardExpired(current: event))
        case .cardReminded: self = .cardReminded(try CardReminded(current: event))
        case .waitingCardTaken: self = .waitingCardTaken(try WaitingCardTaken(current: event))
        case .redemptionRequested: self = .redemptionRequested(try RedemptionRequested(current: event))
        case .cardRedeemed: self = .cardRedeemed(try CardRedeemed(current: event))
        case .redemptionReversed: self = .redemptionReversed(try RedemptionReversed(current: event))
        case .milestoneRequested: self = .milestoneRequested(try MilestoneRequested(current: event))
        case .milestoneRedeemed: self = .milestoneRedeemed(try MilestoneRedeemed(current: event))
        case .milestoneReversed: self = .milestoneReversed(try MilestoneReversed(current: event))
        case .reviewPosted: self = .reviewPosted(try ReviewPosted(current: event))
        case .replyPosted: self = .replyPosted(try ReplyPosted(current: event))
        case .reviewRemoved: self = .reviewRemoved(try ReviewRemoved(current: event))
        case .favoriteAdded: self = .favoriteAdded(try FavoriteAdded(current: event))
        case .favoriteRemoved: self = .favoriteRemoved(try FavoriteRemoved(current: event))
        case .noticePosted: self = .noticePosted(try NoticePosted(current: event))
        case .noticeRead: self = .noticeRead(try NoticeRead(current: event))
        case .noticeScheduled: self = .noticeScheduled(try NoticeScheduled(current: event))
        case .noticeWithdrawn: self = .noticeWithdrawn(try NoticeWithdrawn(current: event))
        case .noticeLapsed: self = .noticeLapsed(try NoticeLapsed(current: event))
        case .feedbackGiven: self = .feedbackGiven(try FeedbackGiven(current: event))
        case .staffInvited: self = .staffInvited(try StaffInvited(current: event))
        case .invitationEnded: self = .invitationEnded(try InvitationEnded(current: event))
        case .staffJoined: self = .staffJoined(try StaffJoined(current: event))
        case .employmentEnded: self = .employmentEnded(try EmploymentEnded(current: event))
        case .shopMuted: self = .shopMuted(try ShopMuted(current: event))
        case .shopUnmuted: self = .shopUnmuted(try ShopUnmuted(current: event))
        case .roleChanged: self = .roleChanged(try RoleChanged(current: event))
        case .transferOffered: self = .transferOffered(try TransferOffered(current: event))
        case .shopTransferred: self = .shopTransferred(try ShopTransferred(current: event))
        case .transferLapsed: self = .transferLapsed(try TransferLapsed(current: event))
        case .shopClosed: self = .shopClosed(try ShopClosed(current: event))
        case .imageTakenDown: self = .imageTakenDown(try ImageTakenDown(current: event))
        case .accountSuspended: self = .accountSuspended(try AccountSuspended(current: event))
        case .accountReinstated: self = .accountReinstated(try AccountReinstated(current: event))
        case .accountSearched: self = .accountSearched(try AccountSearched(current: event))
        case .phoneChangeRequested: self = .phoneChangeRequested(try PhoneChangeRequested(current: event))
        case .phoneChangeEnded: self = .phoneChangeEnded(try PhoneChangeEnded(current: event))
        case .paperCardsPrinted: self = .paperCardsPrinted(try PaperCardsPrinted(current: event))
        case .paperStamped: self = .paperStamped(try PaperStamped(current: event))
        case .paperCardTaken: self = .paperCardTaken(try PaperCardTaken(current: event))
        case .paperStampReversed: self = .paperStampReversed(try PaperStampReversed(current: event))
        }
    }
}

extension Account {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [
        .accountRegistered, .profileEdited, .passwordSet, .accountErased, .passwordRemoved, .phoneChanged, .accountSuspended,
        .accountReinstated, .phoneChangeRequested, .phoneChangeEnded
    ]
}

extension Session {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [.sessionStarted, .sessionRefreshed, .sessionEnded]
}

extension Shop {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [
        .shopOpened, .shopEdited, .staffAdded, .staffRemoved, .shopSuspended, .shopReinstated, .staffInvited, .invitationEnded,
        .staffJoined, .employmentEnded, .roleChanged, .transferOffered, .shopTransferred, .transferLapsed, .shopClosed
    ]
}

extension Campaign {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [.campaignPublished, .campaignEnded, .campaignEdited, .campaignReopened]
}

extension Code {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [
        .codeIssued, .codeDestroyed, .cardStamped, .stampReversed, .paperStamped, .paperStampReversed
    ]
}

extension Card {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [
        .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .cardExpired, .cardReminded, .waitingCardTaken,
        .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed, .milestoneReversed
    ]
}

extension Redemption {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [
        .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed, .milestoneReversed
    ]
}

extension Review {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [.reviewPosted, .replyPosted, .reviewRemoved]
}

extension Notice {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [.cardReminded, .noticePosted, .noticeScheduled, .noticeWithdrawn, .noticeLapsed]
}

extension Invitation {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [
        .staffInvited, .invitationEnded, .staffJoined, .roleChanged, .transferOffered, .shopTransferred, .transferLapsed
    ]
}

extension PaperPrint {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [.paperCardsPrinted]
}

extension Paper {
    /// The types of the events that open or change such an entity.
    package static let eventTypes: [EventType] = [.paperStamped, .paperCardTaken, .paperStampReversed]
}

extension AccountRegistered {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountRegistered()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        let tags = [Tag(.account, account.value), Tag(.phone, phone.value)]
        return try EventDraft(.accountRegistered, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireAccountRegistered.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireAccountRegistered, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            account: try event.id(.account), phone: try event.secret(.phone),
            sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone")
        )
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("phone", .secret(phone)), FactField("sealedPhone", .sealed(sealedPhone))]
    }
}

extension SessionStarted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionStarted()
        message.token = WireBytes.data(token)
        message.expiresAt = expiresAt.microseconds
        let tags = [Tag(.account, account.value), Tag(.session, session.value)]
        return try EventDraft(.sessionStarted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireSessionStarted.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireSessionStarted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            session: try event.id(.session), account: try event.id(.account), token: try WireBytes.secret(message.token, "token"),
            expiresAt: Instant(microseconds: message.expiresAt)
        )
    }

    var fields: [FactField] {
        [FactField("session", .id(session)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt)), FactField("token", .secret(token))]
    }
}

extension SessionRefreshed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionRefreshed()
        message.token = WireBytes.data(token)
        message.expiresAt = expiresAt.microseconds
        let tags = [Tag(.account, account.value), Tag(.session, session.value)]
        return try EventDraft(.sessionRefreshed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireSessionRefreshed.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireSessionRefreshed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            session: try event.id(.session), account: try event.id(.account), token: try WireBytes.secret(message.token, "token"),
            expiresAt: Instant(microseconds: message.expiresAt)
        )
    }

    var fields: [FactField] {
        [FactField("session", .id(session)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt)), FactField("token", .secret(token))]
    }
}

extension SessionEnded {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionEnded()
        message.ending = try ending.wireField()
        let tags = [Tag(.account, account.value), Tag(.session, session.value)]
        return try EventDraft(.sessionEnded, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireSessionEnded.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireSessionEnded, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(session: try event.id(.session), account: try event.id(.account), ending: try SessionEnding(wireField: message.ending))
    }

    var fields: [FactField] {
        [FactField("session", .id(session)), FactField("account", .id(account)), FactField("ending", .symbol(ending.name))]
    }
}

extension PasswordSet {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePasswordSet()
        message.sealedHash = try WireBytes.data(sealedHash, "sealedHash")
        let tags = [Tag(.account, account.value)]
        return try EventDraft(.passwordSet, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WirePasswordSet.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WirePasswordSet, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(account: try event.id(.account), sealedHash: try WireBytes.sealed(message.sealedHash, "sealedHash"))
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("sealedHash", .sealed(sealedHash))]
    }
}

extension AccountErased {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value)]
        return EventDraft(.accountErased, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(1)
        self.init(account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("account", .id(account))]
    }
}

extension PasswordRemoved {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value)]
        return EventDraft(.passwordRemoved, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(1)
        self.init(account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("account", .id(account))]
    }
}

extension PhoneChanged {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePhoneChanged()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        let tags = [Tag(.account, account.value)]
        return try EventDraft(.phoneChanged, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WirePhoneChanged.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WirePhoneChanged, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(account: try event.id(.account), sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"))
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("sealedPhone", .sealed(sealedPhone))]
    }
}

extension StaffAdded {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value)]
        return EventDraft(.staffAdded, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension StaffRemoved {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value)]
        return EventDraft(.staffRemoved, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension ShopSuspended {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopSuspended()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [Tag(.shop, shop.value)]
        return try EventDraft(.shopSuspended, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireShopSuspended.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireShopSuspended, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(shop: try event.id(.shop), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("reason", .typed(reason))]
    }
}

extension ShopReinstated {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopReinstated()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [Tag(.shop, shop.value)]
        return try EventDraft(.shopReinstated, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireShopReinstated.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireShopReinstated, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(shop: try event.id(.shop), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("reason", .typed(reason))]
    }
}

extension CampaignEnded {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.shop, shop.value), Tag(.campaign, campaign.value)]
        return EventDraft(.campaignEnded, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(campaign: try event.id(.campaign), shop: try event.id(.shop))
    }

    var fields: [FactField] {
        [FactField("campaign", .id(campaign)), FactField("shop", .id(shop))]
    }
}

extension CampaignReopened {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCampaignReopened()
        message.endsAt = endsAt.microseconds
        let tags = [Tag(.shop, shop.value), Tag(.campaign, campaign.value)]
        return try EventDraft(.campaignReopened, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireCampaignReopened.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireCampaignReopened, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(campaign: try event.id(.campaign), shop: try event.id(.shop), endsAt: Instant(microseconds: message.endsAt))
    }

    var fields: [FactField] {
        [FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("endsAt", .time(endsAt))]
    }
}

extension CodeIssued {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCodeIssued()
        message.attempt = UInt32(try WireRange.check(attempt, 0...255, "attempt"))
        message.stamps = UInt32(try WireRange.check(stamps, 1...10, "stamps"))
        message.expiresAt = expiresAt.microseconds
        let tags = try [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value), Tag(.codeSecret, secret.value)] + WireHome.tags(home, besides: shop)
        return try EventDraft(.codeIssued, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireCodeIssued.self), event, home: try event.home(besides: 4))
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireCodeIssued, _ event: some StoredEvent & ~Escapable, home: ShopID? = nil) throws(CodecError) {
        try event.expectTags(home == nil ? 4 : 5)
        self.init(
            code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop), home: home,
            secret: try event.secret(.codeSecret), attempt: try WireRange.check(message.attempt, 0...255, "attempt"),
            stamps: try WireRange.check(message.stamps, 1...10, "stamps"), expiresAt: Instant(microseconds: message.expiresAt)
        )
    }

    var fields: [FactField] {
        [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("stamps", .integer(stamps)), FactField("expiresAt", .time(expiresAt)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret))] + homeFields
    }
}

extension CodeDestroyed {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)]
        return EventDraft(.codeDestroyed, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(3)
        self.init(code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop))
    }

    var fields: [FactField] {
        [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop))]
    }
}

extension CardDiscarded {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)]
        return EventDraft(.cardDiscarded, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(4)
        self.init(card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder))]
    }
}

extension CardAdjusted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardAdjusted()
        message.stamps = Int32(try WireRange.check(stamps, -50...50, never: 0, "stamps"))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)]
        return try EventDraft(.cardAdjusted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireCardAdjusted.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireCardAdjusted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            stamps: try WireRange.check(message.stamps, -50...50, never: 0, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason")
        )
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("stamps", .integer(stamps)), FactField("reason", .typed(reason))]
    }
}

extension StampReversed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStampReversed()
        message.stamps = UInt32(try WireRange.check(stamps, 1...50, "stamps"))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = try [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value), Tag(.card, card.value)] + WireHome.tags(home, besides: shop)
        return try EventDraft(.stampReversed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireStampReversed.self), event, home: try event.home(besides: 5))
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireStampReversed, _ event: some StoredEvent & ~Escapable, home: ShopID? = nil) throws(CodecError) {
        try event.expectTags(home == nil ? 5 : 6)
        self.init(
            card: try event.id(.card), code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop), home: home,
            holder: try event.id(.account), stamps: try WireRange.check(message.stamps, 1...50, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason")
        )
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("stamps", .integer(stamps)), FactField("reason", .typed(reason))] + homeFields
    }
}

extension CardExpired {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardExpired()
        message.dueAt = dueAt.microseconds
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)]
        return try EventDraft(.cardExpired, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireCardExpired.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireCardExpired, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            dueAt: Instant(microseconds: message.dueAt)
        )
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("dueAt", .time(dueAt))]
    }
}

extension CardReminded {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardReminded()
        message.daysLeft = UInt32(try WireRange.check(daysLeft, among: [14, 2], "daysLeft"))
        message.dueAt = dueAt.microseconds
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.notice, notice.value)]
        return try EventDraft(.cardReminded, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireCardReminded.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireCardReminded, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            notice: try event.id(.notice), daysLeft: try WireRange.check(message.daysLeft, among: [14, 2], "daysLeft"),
            dueAt: Instant(microseconds: message.dueAt)
        )
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("notice", .id(notice)), FactField("daysLeft", .integer(daysLeft)), FactField("dueAt", .time(dueAt))]
    }
}

extension WaitingCardTaken {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireWaitingCardTaken()
        if let from { message.from = WireBytes.data(id: from.value) }
        message.goal = UInt32(try WireRange.check(goal, 1...50, "goal"))
        message.stamps = UInt32(try WireRange.check(stamps, 0...50, "stamps"))
        message.moved = UInt32(try WireRange.check(moved, 0...50, "moved"))
        if let onto { message.onto = WireBytes.data(id: onto.value) }
        message.codes = UInt32(try WireRange.check(codes, 0...1_000, "codes"))
        message.worth = UInt32(try WireRange.check(worth, 0...50, "worth"))
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)]
        return try EventDraft(.waitingCardTaken, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireWaitingCardTaken.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireWaitingCardTaken, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            from: try WireBytes.id(message.from, "from").map { AccountID($0) }, goal: try WireRange.check(message.goal, 1...50, "goal"),
            stamps: try WireRange.check(message.stamps, 0...50, "stamps"), moved: try WireRange.check(message.moved, 0...50, "moved"),
            onto: try WireBytes.id(message.onto, "onto").map { CardID($0) }, codes: try WireRange.check(message.codes, 0...1_000, "codes"),
            worth: try WireRange.check(message.worth, 0...50, "worth")
        )
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder))] + (from.map { [FactField("from", .id($0))] } ?? []) + [FactField("goal", .integer(goal)), FactField("stamps", .integer(stamps)), FactField("moved", .integer(moved))] + (onto.map { [FactField("onto", .id($0))] } ?? []) + [FactField("codes", .integer(codes)), FactField("worth", .integer(worth))]
    }
}

extension RedemptionRequested {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRedemptionRequested()
        message.attempt = UInt32(try WireRange.check(attempt, 0...255, "attempt"))
        message.expiresAt = expiresAt.microseconds
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value), Tag(.redemptionSecret, secret.value)]
        return try EventDraft(.redemptionRequested, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireRedemptionRequested.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireRedemptionRequested, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(6)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            holder: try event.id(.account), secret: try event.secret(.redemptionSecret),
            attempt: try WireRange.check(message.attempt, 0...255, "attempt"), expiresAt: Instant(microseconds: message.expiresAt)
        )
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("expiresAt", .time(expiresAt)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret))]
    }
}

extension CardRedeemed {
    func draft() throws(CodecError) -> EventDraft {
        let tags = try [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value)] + WireHome.tags(home, besides: shop)
        return EventDraft(.cardRedeemed, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(event, home: try event.home(besides: 5))
    }

    /// Reads the event from any of its versions. The caller reads `home`, which the first one lacks.
    init(_ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(home == nil ? 5 : 6)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, holder: try event.id(.account)
        )
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder))] + homeFields
    }
}

extension RedemptionReversed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRedemptionReversed()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = try [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value)] + WireHome.tags(home, besides: shop)
        return try EventDraft(.redemptionReversed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireRedemptionReversed.self), event, home: try event.home(besides: 5))
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireRedemptionReversed, _ event: some StoredEvent & ~Escapable, home: ShopID? = nil) throws(CodecError) {
        try event.expectTags(home == nil ? 5 : 6)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, holder: try event.id(.account), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason")
        )
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("reason", .typed(reason))] + homeFields
    }
}

extension MilestoneRequested {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneRequested()
        message.milestone = UInt32(try WireRange.check(milestone, 1...49, "milestone"))
        message.attempt = UInt32(try WireRange.check(attempt, 0...255, "attempt"))
        message.expiresAt = expiresAt.microseconds
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value), Tag(.redemptionSecret, secret.value)]
        return try EventDraft(.milestoneRequested, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireMilestoneRequested.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireMilestoneRequested, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(6)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            holder: try event.id(.account), secret: try event.secret(.redemptionSecret),
            milestone: try WireRange.check(message.milestone, 1...49, "milestone"),
            attempt: try WireRange.check(message.attempt, 0...255, "attempt"), expiresAt: Instant(microseconds: message.expiresAt)
        )
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("milestone", .integer(milestone)), FactField("expiresAt", .time(expiresAt)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret))]
    }
}

extension MilestoneRedeemed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneRedeemed()
        message.milestone = UInt32(try WireRange.check(milestone, 1...49, "milestone"))
        let tags = try [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value)] + WireHome.tags(home, besides: shop)
        return try EventDraft(.milestoneRedeemed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireMilestoneRedeemed.self), event, home: try event.home(besides: 5))
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireMilestoneRedeemed, _ event: some StoredEvent & ~Escapable, home: ShopID? = nil) throws(CodecError) {
        try event.expectTags(home == nil ? 5 : 6)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, holder: try event.id(.account), milestone: try WireRange.check(message.milestone, 1...49, "milestone")
        )
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("milestone", .integer(milestone))] + homeFields
    }
}

extension MilestoneReversed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneReversed()
        message.milestone = UInt32(try WireRange.check(milestone, 1...49, "milestone"))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = try [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value)] + WireHome.tags(home, besides: shop)
        return try EventDraft(.milestoneReversed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireMilestoneReversed.self), event, home: try event.home(besides: 5))
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireMilestoneReversed, _ event: some StoredEvent & ~Escapable, home: ShopID? = nil) throws(CodecError) {
        try event.expectTags(home == nil ? 5 : 6)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, holder: try event.id(.account), milestone: try WireRange.check(message.milestone, 1...49, "milestone"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason")
        )
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("milestone", .integer(milestone)), FactField("reason", .typed(reason))] + homeFields
    }
}

extension ReviewPosted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReviewPosted()
        if let rating { message.rating = UInt32(try WireRange.check(rating, 1...5, "rating")) }
        if let text { message.sealedText = try WireBytes.data(text, "text") }
        let tags = [Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, review.value)]
        return try EventDraft(.reviewPosted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireReviewPosted.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireReviewPosted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            review: try event.id(.review), shop: try event.id(.shop), author: try event.id(.account),
            rating: message.hasRating ? try WireRange.check(message.rating, 1...5, "rating") : nil,
            text: message.hasSealedText ? try WireBytes.sealed(message.sealedText, "text") : nil
        )
    }

    var fields: [FactField] {
        [FactField("review", .id(review)), FactField("shop", .id(shop)), FactField("author", .id(author))] + (rating.map { [FactField("rating", .integer($0))] } ?? []) + (text.map { [FactField("text", .sealed($0))] } ?? [])
    }
}

extension ReplyPosted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReplyPosted()
        message.depth = UInt32(try WireRange.check(depth, 1...8, "depth"))
        message.sealedText = try WireBytes.data(text, "text")
        let tags = [Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, reply.value), Tag(.parent, parent.value), Tag(.thread, thread.value)]
        return try EventDraft(.replyPosted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireReplyPosted.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireReplyPosted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        self.init(
            reply: try event.id(.review), parent: try event.id(.parent), thread: try event.id(.thread), shop: try event.id(.shop),
            author: try event.id(.account), depth: try WireRange.check(message.depth, 1...8, "depth"),
            text: try WireBytes.sealed(message.sealedText, "text")
        )
    }

    var fields: [FactField] {
        [FactField("reply", .id(reply)), FactField("parent", .id(parent)), FactField("thread", .id(thread)), FactField("shop", .id(shop)), FactField("author", .id(author)), FactField("depth", .integer(depth)), FactField("text", .sealed(text))]
    }
}

extension ReviewRemoved {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReviewRemoved()
        message.byOperator = byOperator
        let tags = [Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, review.value), Tag(.thread, thread.value)]
        return try EventDraft(.reviewRemoved, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireReviewRemoved.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireReviewRemoved, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            review: try event.id(.review), thread: try event.id(.thread), shop: try event.id(.shop), author: try event.id(.account),
            byOperator: message.byOperator
        )
    }

    var fields: [FactField] {
        [FactField("review", .id(review)), FactField("thread", .id(thread)), FactField("shop", .id(shop)), FactField("author", .id(author)), FactField("byOperator", .symbol(byOperator ? "true" : "false"))]
    }
}

extension FavoriteAdded {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.campaign, campaign.value)]
        return EventDraft(.favoriteAdded, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(account: try event.id(.account), campaign: try event.id(.campaign))
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("campaign", .id(campaign))]
    }
}

extension FavoriteRemoved {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.campaign, campaign.value)]
        return EventDraft(.favoriteRemoved, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(account: try event.id(.account), campaign: try event.id(.campaign))
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("campaign", .id(campaign))]
    }
}

extension NoticeRead {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.notice, notice.value)]
        return EventDraft(.noticeRead, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(notice: try event.id(.notice), account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("notice", .id(notice)), FactField("account", .id(account))]
    }
}

extension NoticeWithdrawn {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, author.value), Tag(.notice, notice.value)]
        return EventDraft(.noticeWithdrawn, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(notice: try event.id(.notice), author: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("notice", .id(notice)), FactField("author", .id(author))]
    }
}

extension NoticeLapsed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireNoticeLapsed()
        message.dueAt = dueAt.microseconds
        let tags = [Tag(.account, author.value), Tag(.notice, notice.value)]
        return try EventDraft(.noticeLapsed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireNoticeLapsed.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireNoticeLapsed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(notice: try event.id(.notice), author: try event.id(.account), dueAt: Instant(microseconds: message.dueAt))
    }

    var fields: [FactField] {
        [FactField("notice", .id(notice)), FactField("author", .id(author)), FactField("dueAt", .time(dueAt))]
    }
}

extension FeedbackGiven {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireFeedbackGiven()
        message.sealedText = try WireBytes.data(text, "text")
        let tags = [Tag(.account, author.value)]
        return try EventDraft(.feedbackGiven, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireFeedbackGiven.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireFeedbackGiven, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(author: try event.id(.account), text: try WireBytes.sealed(message.sealedText, "text"))
    }

    var fields: [FactField] {
        [FactField("author", .id(author)), FactField("text", .sealed(text))]
    }
}

extension StaffInvited {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStaffInvited()
        message.expiresAt = expiresAt.microseconds
        message.role = try role.wireField()
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.staffInvited, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireStaffInvited.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireStaffInvited, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            expiresAt: Instant(microseconds: message.expiresAt), role: try Role(wireField: message.role)
        )
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt))] + (role == .counter ? [] : [FactField("role", .symbol(role.name))])
    }
}

extension InvitationEnded {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return EventDraft(.invitationEnded, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(3)
        self.init(invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension StaffJoined {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStaffJoined()
        message.role = try role.wireField()
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.staffJoined, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireStaffJoined.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireStaffJoined, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            role: try Role(wireField: message.role)
        )
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))] + (role == .counter ? [] : [FactField("role", .symbol(role.name))])
    }
}

extension EmploymentEnded {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value)]
        return EventDraft(.employmentEnded, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension ShopMuted {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value)]
        return EventDraft(.shopMuted, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension ShopUnmuted {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value)]
        return EventDraft(.shopUnmuted, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension RoleChanged {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRoleChanged()
        message.role = try role.wireField()
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value)] + (invitation.map { [Tag(.invitation, $0.value)] } ?? [])
        return try EventDraft(.roleChanged, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireRoleChanged.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireRoleChanged, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(event.value(of: .invitation) == nil ? 2 : 3)
        self.init(
            shop: try event.id(.shop), account: try event.id(.account), invitation: event.value(of: .invitation).map { InvitationID($0) },
            role: try Role(wireField: message.role)
        )
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("role", .symbol(role.name))] + (invitation.map { [FactField("invitation", .id($0))] } ?? [])
    }
}

extension TransferOffered {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireTransferOffered()
        message.expiresAt = expiresAt.microseconds
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.transferOffered, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireTransferOffered.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireTransferOffered, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            expiresAt: Instant(microseconds: message.expiresAt)
        )
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt))]
    }
}

extension ShopTransferred {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value), Tag(.formerOwner, formerOwner.value)]
        return EventDraft(.shopTransferred, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(4)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            formerOwner: try event.id(.formerOwner)
        )
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("formerOwner", .id(formerOwner))]
    }
}

extension TransferLapsed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireTransferLapsed()
        message.dueAt = dueAt.microseconds
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.transferLapsed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireTransferLapsed.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireTransferLapsed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            dueAt: Instant(microseconds: message.dueAt)
        )
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("dueAt", .time(dueAt))]
    }
}

extension ImageTakenDown {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireImageTakenDown()
        message.byOperator = byOperator
        let tags = [Tag(.image, image.value)]
        return try EventDraft(.imageTakenDown, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireImageTakenDown.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireImageTakenDown, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(image: try event.id(.image), byOperator: message.byOperator)
    }

    var fields: [FactField] {
        [FactField("image", .id(image)), FactField("byOperator", .symbol(byOperator ? "true" : "false"))]
    }
}

extension AccountSuspended {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountSuspended()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [Tag(.account, account.value)]
        return try EventDraft(.accountSuspended, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireAccountSuspended.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireAccountSuspended, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(account: try event.id(.account), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("reason", .typed(reason))]
    }
}

extension AccountReinstated {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountReinstated()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [Tag(.account, account.value)]
        return try EventDraft(.accountReinstated, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireAccountReinstated.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WireAccountReinstated, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(account: try event.id(.account), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("reason", .typed(reason))]
    }
}

extension AccountSearched {
    func draft() throws(CodecError) -> EventDraft {
        let tags = (account.map { [Tag(.account, $0.value)] } ?? [])
        return EventDraft(.accountSearched, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(event.value(of: .account) == nil ? 0 : 1)
        self.init(account: event.value(of: .account).map { AccountID($0) })
    }

    var fields: [FactField] {
        (account.map { [FactField("account", .id($0))] } ?? [])
    }
}

extension PhoneChangeRequested {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePhoneChangeRequested()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        message.holdsAt = holdsAt.microseconds
        let tags = [Tag(.account, account.value)]
        return try EventDraft(.phoneChangeRequested, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WirePhoneChangeRequested.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WirePhoneChangeRequested, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(
            account: try event.id(.account), sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"),
            holdsAt: Instant(microseconds: message.holdsAt)
        )
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("holdsAt", .time(holdsAt)), FactField("reason", .typed(reason)), FactField("sealedPhone", .sealed(sealedPhone))]
    }
}

extension PhoneChangeEnded {
    func draft() throws(CodecError) -> EventDraft {
        let tags = [Tag(.account, account.value)]
        return EventDraft(.phoneChangeEnded, tags)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        try event.expectTags(1)
        self.init(account: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("account", .id(account))]
    }
}

extension PaperCardsPrinted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperCardsPrinted()
        message.attempt = UInt32(try WireRange.check(attempt, 0...255, "attempt"))
        message.count = UInt32(try WireRange.check(count, 1...500, "count"))
        let tags = [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.print, print.value), Tag(.printSecret, secret.value)]
        return try EventDraft(.paperCardsPrinted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WirePaperCardsPrinted.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WirePaperCardsPrinted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            print: try event.id(.print), campaign: try event.id(.campaign), shop: try event.id(.shop),
            secret: try event.secret(.printSecret), attempt: try WireRange.check(message.attempt, 0...255, "attempt"),
            count: try WireRange.check(message.count, 1...500, "count")
        )
    }

    var fields: [FactField] {
        [FactField("print", .id(print)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("count", .integer(count)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret))]
    }
}

extension PaperStamped {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperStamped()
        message.stamps = UInt32(try WireRange.check(stamps, 1...10, "stamps"))
        let tags = try [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)] + paper.tags + WireHome.tags(home, besides: shop)
        return try EventDraft(.paperStamped, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WirePaperStamped.self), event, home: try event.home(besides: 5))
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WirePaperStamped, _ event: some StoredEvent & ~Escapable, home: ShopID? = nil) throws(CodecError) {
        try event.expectTags(home == nil ? 5 : 6)
        self.init(
            paper: try PaperName(of: event), code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, stamps: try WireRange.check(message.stamps, 1...10, "stamps")
        )
    }

    var fields: [FactField] {
        paper.fields + [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("stamps", .integer(stamps))] + homeFields
    }
}

extension PaperCardTaken {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperCardTaken()
        message.stamps = UInt32(try WireRange.check(stamps, 0...50, "stamps"))
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value)] + paper.tags
        return try EventDraft(.paperCardTaken, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WirePaperCardTaken.self), event)
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WirePaperCardTaken, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        self.init(
            paper: try PaperName(of: event), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            stamps: try WireRange.check(message.stamps, 0...50, "stamps")
        )
    }

    var fields: [FactField] {
        paper.fields + [FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("stamps", .integer(stamps))]
    }
}

extension PaperStampReversed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperStampReversed()
        message.stamps = UInt32(try WireRange.check(stamps, 1...10, "stamps"))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = try [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)] + paper.tags + WireHome.tags(home, besides: shop)
        return try EventDraft(.paperStampReversed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WirePaperStampReversed.self), event, home: try event.home(besides: 5))
    }

    /// Reads the event from a message of any version. The caller handles what an older one lacks.
    init(_ message: WirePaperStampReversed, _ event: some StoredEvent & ~Escapable, home: ShopID? = nil) throws(CodecError) {
        try event.expectTags(home == nil ? 5 : 6)
        self.init(
            paper: try PaperName(of: event), code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, stamps: try WireRange.check(message.stamps, 1...10, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason")
        )
    }

    var fields: [FactField] {
        paper.fields + [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("stamps", .integer(stamps)), FactField("reason", .typed(reason))] + homeFields
    }
}

/// The closed list of the kinds of tags.
enum WireTag: UInt8, CaseIterable {
    case account = 1
    case shop = 2
    case campaign = 3
    case code = 4
    case card = 5
    case redemption = 6
    case review = 7
    case session = 8
    case codeSecret = 9
    case redemptionSecret = 10
    case phone = 11
    case request = 12
    case digest = 13
    case parent = 14
    case thread = 15
    case image = 16
    case notice = 17
    case invitation = 18
    case formerOwner = 19
    case print = 23
    case paper = 24
    case printSecret = 25
    case home = 26

    var name: String {
        switch self {
        case .account: "account"
        case .shop: "shop"
        case .campaign: "campaign"
        case .code: "code"
        case .card: "card"
        case .redemption: "redemption"
        case .review: "review"
        case .session: "session"
        case .codeSecret: "codeSecret"
        case .redemptionSecret: "redemptionSecret"
        case .phone: "phone"
        case .request: "request"
        case .digest: "digest"
        case .parent: "parent"
        case .thread: "thread"
        case .image: "image"
        case .notice: "notice"
        case .invitation: "invitation"
        case .formerOwner: "formerOwner"
        case .print: "print"
        case .paper: "paper"
        case .printSecret: "printSecret"
        case .home: "home"
        }
    }

    /// The TypeID prefix; nil for keyed hashes.
    var idPrefix: String? {
        switch self {
        case .account: Account.idPrefix
        case .shop: Shop.idPrefix
        case .campaign: Campaign.idPrefix
        case .code: Code.idPrefix
        case .card: Card.idPrefix
        case .redemption: Redemption.idPrefix
        case .review: Review.idPrefix
        case .session: Session.idPrefix
        case .codeSecret: nil
        case .redemptionSecret: nil
        case .phone: nil
        case .request: nil
        case .digest: nil
        case .parent: Review.idPrefix
        case .thread: Review.idPrefix
        case .image: Image.idPrefix
        case .notice: Notice.idPrefix
        case .invitation: Invitation.idPrefix
        case .formerOwner: Account.idPrefix
        case .print: PaperPrint.idPrefix
        case .paper: Paper.idPrefix
        case .printSecret: nil
        case .home: Shop.idPrefix
        }
    }
}

extension TagKind {
    /// The account that the event is about.
    @inlinable public static var account: TagKind { TagKind(rawValue: 1) }
    /// The shop where the event happened, or that it is about; 0 in a notice to everybody.
    @inlinable public static var shop: TagKind { TagKind(rawValue: 2) }
    @inlinable public static var campaign: TagKind { TagKind(rawValue: 3) }
    @inlinable public static var code: TagKind { TagKind(rawValue: 4) }
    @inlinable public static var card: TagKind { TagKind(rawValue: 5) }
    @inlinable public static var redemption: TagKind { TagKind(rawValue: 6) }
    @inlinable public static var review: TagKind { TagKind(rawValue: 7) }
    @inlinable public static var session: TagKind { TagKind(rawValue: 8) }
    @inlinable public static var codeSecret: TagKind { TagKind(rawValue: 9) }
    @inlinable public static var redemptionSecret: TagKind { TagKind(rawValue: 10) }
    /// Keyed hash of a registered account's id; in older logs, of its phone number.
    @inlinable public static var phone: TagKind { TagKind(rawValue: 11) }
    /// Keyed hash of account and idempotency key.
    @inlinable public static var request: TagKind { TagKind(rawValue: 12) }
    /// Tells a retry from a different request with the same idempotency key. Not indexed. It is a tag all the same, so that the most
    /// frequent event, a stamp, needs no payload.
    @inlinable public static var digest: TagKind { TagKind(rawValue: 13) }
    @inlinable public static var parent: TagKind { TagKind(rawValue: 14) }
    @inlinable public static var thread: TagKind { TagKind(rawValue: 15) }
    /// Shown from this event on, or taken down.
    @inlinable public static var image: TagKind { TagKind(rawValue: 16) }
    @inlinable public static var notice: TagKind { TagKind(rawValue: 17) }
    @inlinable public static var invitation: TagKind { TagKind(rawValue: 18) }
    /// The shop's owner until this event. A kind of its own, because an event names one account.
    @inlinable public static var formerOwner: TagKind { TagKind(rawValue: 19) }
    @inlinable public static var print: TagKind { TagKind(rawValue: 23) }
    @inlinable public static var paper: TagKind { TagKind(rawValue: 24) }
    @inlinable public static var printSecret: TagKind { TagKind(rawValue: 25) }
    /// The campaign's own shop, if the event happened at another shop.
    @inlinable public static var home: TagKind { TagKind(rawValue: 26) }
}

extension Account: Identified {
    public static var idPrefix: String { "acct" }
}

extension Shop: Identified {
    public static var idPrefix: String { "shop" }
}

extension Campaign: Identified {
    public static var idPrefix: String { "camp" }
}

extension Code: Identified {
    public static var idPrefix: String { "code" }
}

extension Card: Identified {
    public static var idPrefix: String { "card" }
}

extension Redemption: Identified {
    public static var idPrefix: String { "rdm" }
}

extension Review: Identified {
    public static var idPrefix: String { "rev" }
}

extension Session: Identified {
    public static var idPrefix: String { "ses" }
}

extension Image: Identified {
    public static var idPrefix: String { "img" }
}

extension Notice: Identified {
    public static var idPrefix: String { "ntc" }
}

extension Invitation: Identified {
    public static var idPrefix: String { "inv" }
}

extension PaperPrint: Identified {
    public static var idPrefix: String { "print" }
}

extension Paper: Identified {
    public static var idPrefix: String { "paper" }
}
