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
    case staffLabeled = 110
    case waitingOfferTaken = 112
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
    case searchSaved = 170
    case searchEdited = 171
    case searchRemoved = 172
    case searchSeen = 173
    case searchAlerted = 174

    /// The schema version that is written today; for a retired type, the last one that was written.
    var currentVersion: UInt16 {
        switch self {
        case .campaignPublished, .cardOpened: 6
        case .campaignEdited: 5
        case .shopOpened, .shopEdited, .stampReversed: 4
        case .cardStamped, .redemptionReversed: 3
        case
            .shopSuspended, .shopReinstated, .codeIssued, .cardAdjusted, .cardRedeemed, .milestoneRedeemed, .milestoneReversed,
            .noticePosted, .staffInvited, .staffJoined, .accountSearched, .paperStamped, .paperStampReversed: 2
        default: 1
        }
    }
}

/// The numbers of the event types. The types of ``LoyaltyEvent`` say what each one is.
extension EventType {
    @inlinable public static var accountRegistered: EventType { EventType(rawValue: 1) }
    @inlinable public static var sessionStarted: EventType { EventType(rawValue: 2) }
    @inlinable public static var sessionRefreshed: EventType { EventType(rawValue: 3) }
    @inlinable public static var sessionEnded: EventType { EventType(rawValue: 4) }
    @inlinable public static var profileEdited: EventType { EventType(rawValue: 5) }
    @inlinable public static var passwordSet: EventType { EventType(rawValue: 6) }
    @inlinable public static var accountErased: EventType { EventType(rawValue: 7) }
    @inlinable public static var passwordRemoved: EventType { EventType(rawValue: 8) }
    @inlinable public static var phoneChanged: EventType { EventType(rawValue: 9) }
    @inlinable public static var shopOpened: EventType { EventType(rawValue: 10) }
    @inlinable public static var shopEdited: EventType { EventType(rawValue: 11) }
    @inlinable public static var staffAdded: EventType { EventType(rawValue: 12) }
    @inlinable public static var staffRemoved: EventType { EventType(rawValue: 13) }
    @inlinable public static var shopSuspended: EventType { EventType(rawValue: 14) }
    @inlinable public static var shopReinstated: EventType { EventType(rawValue: 15) }
    @inlinable public static var campaignPublished: EventType { EventType(rawValue: 20) }
    @inlinable public static var campaignEnded: EventType { EventType(rawValue: 21) }
    @inlinable public static var campaignEdited: EventType { EventType(rawValue: 22) }
    @inlinable public static var campaignReopened: EventType { EventType(rawValue: 23) }
    @inlinable public static var codeIssued: EventType { EventType(rawValue: 30) }
    @inlinable public static var codeDestroyed: EventType { EventType(rawValue: 31) }
    @inlinable public static var cardOpened: EventType { EventType(rawValue: 40) }
    @inlinable public static var cardStamped: EventType { EventType(rawValue: 41) }
    @inlinable public static var cardDiscarded: EventType { EventType(rawValue: 42) }
    @inlinable public static var cardAdjusted: EventType { EventType(rawValue: 43) }
    @inlinable public static var stampReversed: EventType { EventType(rawValue: 44) }
    @inlinable public static var cardExpired: EventType { EventType(rawValue: 45) }
    @inlinable public static var cardReminded: EventType { EventType(rawValue: 46) }
    @inlinable public static var waitingCardTaken: EventType { EventType(rawValue: 47) }
    @inlinable public static var redemptionRequested: EventType { EventType(rawValue: 50) }
    @inlinable public static var cardRedeemed: EventType { EventType(rawValue: 51) }
    @inlinable public static var redemptionReversed: EventType { EventType(rawValue: 52) }
    @inlinable public static var milestoneRequested: EventType { EventType(rawValue: 53) }
    @inlinable public static var milestoneRedeemed: EventType { EventType(rawValue: 54) }
    @inlinable public static var milestoneReversed: EventType { EventType(rawValue: 55) }
    @inlinable public static var reviewPosted: EventType { EventType(rawValue: 60) }
    @inlinable public static var replyPosted: EventType { EventType(rawValue: 61) }
    @inlinable public static var reviewRemoved: EventType { EventType(rawValue: 62) }
    @inlinable public static var favoriteAdded: EventType { EventType(rawValue: 70) }
    @inlinable public static var favoriteRemoved: EventType { EventType(rawValue: 71) }
    @inlinable public static var noticePosted: EventType { EventType(rawValue: 80) }
    @inlinable public static var noticeRead: EventType { EventType(rawValue: 81) }
    @inlinable public static var noticeScheduled: EventType { EventType(rawValue: 82) }
    @inlinable public static var noticeWithdrawn: EventType { EventType(rawValue: 83) }
    @inlinable public static var noticeLapsed: EventType { EventType(rawValue: 84) }
    @inlinable public static var feedbackGiven: EventType { EventType(rawValue: 90) }
    @inlinable public static var staffInvited: EventType { EventType(rawValue: 100) }
    @inlinable public static var invitationEnded: EventType { EventType(rawValue: 101) }
    @inlinable public static var staffJoined: EventType { EventType(rawValue: 102) }
    @inlinable public static var employmentEnded: EventType { EventType(rawValue: 103) }
    @inlinable public static var shopMuted: EventType { EventType(rawValue: 104) }
    @inlinable public static var shopUnmuted: EventType { EventType(rawValue: 105) }
    @inlinable public static var roleChanged: EventType { EventType(rawValue: 106) }
    @inlinable public static var transferOffered: EventType { EventType(rawValue: 107) }
    @inlinable public static var shopTransferred: EventType { EventType(rawValue: 108) }
    @inlinable public static var transferLapsed: EventType { EventType(rawValue: 109) }
    @inlinable public static var staffLabeled: EventType { EventType(rawValue: 110) }
    @inlinable public static var waitingOfferTaken: EventType { EventType(rawValue: 112) }
    @inlinable public static var shopClosed: EventType { EventType(rawValue: 111) }
    @inlinable public static var imageTakenDown: EventType { EventType(rawValue: 120) }
    @inlinable public static var accountSuspended: EventType { EventType(rawValue: 140) }
    @inlinable public static var accountReinstated: EventType { EventType(rawValue: 141) }
    @inlinable public static var accountSearched: EventType { EventType(rawValue: 142) }
    @inlinable public static var phoneChangeRequested: EventType { EventType(rawValue: 143) }
    @inlinable public static var phoneChangeEnded: EventType { EventType(rawValue: 144) }
    @inlinable public static var paperCardsPrinted: EventType { EventType(rawValue: 150) }
    @inlinable public static var paperStamped: EventType { EventType(rawValue: 151) }
    @inlinable public static var paperCardTaken: EventType { EventType(rawValue: 152) }
    @inlinable public static var paperStampReversed: EventType { EventType(rawValue: 153) }
    @inlinable public static var searchSaved: EventType { EventType(rawValue: 170) }
    @inlinable public static var searchEdited: EventType { EventType(rawValue: 171) }
    @inlinable public static var searchRemoved: EventType { EventType(rawValue: 172) }
    @inlinable public static var searchSeen: EventType { EventType(rawValue: 173) }
    @inlinable public static var searchAlerted: EventType { EventType(rawValue: 174) }
}

extension LoyaltyEvent {
    var coded: (type: WireType, event: any CodedEvent) {
        switch self {
        case .accountRegistered(let event): (.accountRegistered, event)
        case .sessionStarted(let event): (.sessionStarted, event)
        case .sessionRefreshed(let event): (.sessionRefreshed, event)
        case .sessionEnded(let event): (.sessionEnded, event)
        case .profileEdited(let event): (.profileEdited, event)
        case .passwordSet(let event): (.passwordSet, event)
        case .accountErased(let event): (.accountErased, event)
        case .passwordRemoved(let event): (.passwordRemoved, event)
        case .phoneChanged(let event): (.phoneChanged, event)
        case .shopOpened(let event): (.shopOpened, event)
        case .shopEdited(let event): (.shopEdited, event)
        case .staffAdded(let event): (.staffAdded, event)
        case .staffRemoved(let event): (.staffRemoved, event)
        case .shopSuspended(let event): (.shopSuspended, event)
        case .shopReinstated(let event): (.shopReinstated, event)
        case .campaignPublished(let event): (.campaignPublished, event)
        case .campaignEnded(let event): (.campaignEnded, event)
        case .campaignEdited(let event): (.campaignEdited, event)
        case .campaignReopened(let event): (.campaignReopened, event)
        case .codeIssued(let event): (.codeIssued, event)
        case .codeDestroyed(let event): (.codeDestroyed, event)
        case .cardOpened(let event): (.cardOpened, event)
        case .cardStamped(let event): (.cardStamped, event)
        case .cardDiscarded(let event): (.cardDiscarded, event)
        case .cardAdjusted(let event): (.cardAdjusted, event)
        case .stampReversed(let event): (.stampReversed, event)
        case .cardExpired(let event): (.cardExpired, event)
        case .cardReminded(let event): (.cardReminded, event)
        case .waitingCardTaken(let event): (.waitingCardTaken, event)
        case .redemptionRequested(let event): (.redemptionRequested, event)
        case .cardRedeemed(let event): (.cardRedeemed, event)
        case .redemptionReversed(let event): (.redemptionReversed, event)
        case .milestoneRequested(let event): (.milestoneRequested, event)
        case .milestoneRedeemed(let event): (.milestoneRedeemed, event)
        case .milestoneReversed(let event): (.milestoneReversed, event)
        case .reviewPosted(let event): (.reviewPosted, event)
        case .replyPosted(let event): (.replyPosted, event)
        case .reviewRemoved(let event): (.reviewRemoved, event)
        case .favoriteAdded(let event): (.favoriteAdded, event)
        case .favoriteRemoved(let event): (.favoriteRemoved, event)
        case .noticePosted(let event): (.noticePosted, event)
        case .noticeRead(let event): (.noticeRead, event)
        case .noticeScheduled(let event): (.noticeScheduled, event)
        case .noticeWithdrawn(let event): (.noticeWithdrawn, event)
        case .noticeLapsed(let event): (.noticeLapsed, event)
        case .feedbackGiven(let event): (.feedbackGiven, event)
        case .staffInvited(let event): (.staffInvited, event)
        case .invitationEnded(let event): (.invitationEnded, event)
        case .staffJoined(let event): (.staffJoined, event)
        case .employmentEnded(let event): (.employmentEnded, event)
        case .shopMuted(let event): (.shopMuted, event)
        case .shopUnmuted(let event): (.shopUnmuted, event)
        case .roleChanged(let event): (.roleChanged, event)
        case .transferOffered(let event): (.transferOffered, event)
        case .shopTransferred(let event): (.shopTransferred, event)
        case .transferLapsed(let event): (.transferLapsed, event)
        case .staffLabeled(let event): (.staffLabeled, event)
        case .waitingOfferTaken(let event): (.waitingOfferTaken, event)
        case .shopClosed(let event): (.shopClosed, event)
        case .imageTakenDown(let event): (.imageTakenDown, event)
        case .accountSuspended(let event): (.accountSuspended, event)
        case .accountReinstated(let event): (.accountReinstated, event)
        case .accountSearched(let event): (.accountSearched, event)
        case .phoneChangeRequested(let event): (.phoneChangeRequested, event)
        case .phoneChangeEnded(let event): (.phoneChangeEnded, event)
        case .paperCardsPrinted(let event): (.paperCardsPrinted, event)
        case .paperStamped(let event): (.paperStamped, event)
        case .paperCardTaken(let event): (.paperCardTaken, event)
        case .paperStampReversed(let event): (.paperStampReversed, event)
        case .searchSaved(let event): (.searchSaved, event)
        case .searchEdited(let event): (.searchEdited, event)
        case .searchRemoved(let event): (.searchRemoved, event)
        case .searchSeen(let event): (.searchSeen, event)
        case .searchAlerted(let event): (.searchAlerted, event)
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
        case .staffLabeled: self = .staffLabeled(try StaffLabeled(current: event))
        case .waitingOfferTaken: self = .waitingOfferTaken(try WaitingOfferTaken(current: event))
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
        case .searchSaved: self = .searchSaved(try SearchSaved(current: event))
        case .searchEdited: self = .searchEdited(try SearchEdited(current: event))
        case .searchRemoved: self = .searchRemoved(try SearchRemoved(current: event))
        case .searchSeen: self = .searchSeen(try SearchSeen(current: event))
        case .searchAlerted: self = .searchAlerted(try SearchAlerted(current: event))
        }
    }
}

// The types of the events that open or change an entity.

extension Account {
    package static let eventTypes: [EventType] = [
        .accountRegistered, .profileEdited, .passwordSet, .accountErased, .passwordRemoved, .phoneChanged, .accountSuspended,
        .accountReinstated, .phoneChangeRequested, .phoneChangeEnded
    ]
}

extension Session { package static let eventTypes: [EventType] = [.sessionStarted, .sessionRefreshed, .sessionEnded] }

extension Shop {
    package static let eventTypes: [EventType] = [
        .shopOpened, .shopEdited, .staffAdded, .staffRemoved, .shopSuspended, .shopReinstated, .staffInvited, .invitationEnded,
        .staffJoined, .employmentEnded, .roleChanged, .transferOffered, .shopTransferred, .transferLapsed, .waitingOfferTaken, .shopClosed
    ]
}

extension Campaign { package static let eventTypes: [EventType] = [.campaignPublished, .campaignEnded, .campaignEdited, .campaignReopened] }

extension Code {
    package static let eventTypes: [EventType] = [
        .codeIssued, .codeDestroyed, .cardStamped, .stampReversed, .paperStamped, .paperStampReversed
    ]
}

extension Card {
    package static let eventTypes: [EventType] = [
        .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .cardExpired, .cardReminded, .waitingCardTaken,
        .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed, .milestoneReversed
    ]
}

extension Redemption {
    package static let eventTypes: [EventType] = [
        .redemptionRequested, .cardRedeemed, .redemptionReversed, .milestoneRequested, .milestoneRedeemed, .milestoneReversed
    ]
}

extension Review { package static let eventTypes: [EventType] = [.reviewPosted, .replyPosted, .reviewRemoved] }

extension Notice {
    package static let eventTypes: [EventType] = [
        .cardReminded, .noticePosted, .noticeScheduled, .noticeWithdrawn, .noticeLapsed, .searchAlerted
    ]
}

extension Invitation {
    package static let eventTypes: [EventType] = [
        .staffInvited, .invitationEnded, .staffJoined, .roleChanged, .transferOffered, .shopTransferred, .transferLapsed, .waitingOfferTaken
    ]
}

extension PaperPrint { package static let eventTypes: [EventType] = [.paperCardsPrinted] }

extension Paper { package static let eventTypes: [EventType] = [.paperStamped, .paperCardTaken, .paperStampReversed] }

extension SavedSearch {
    package static let eventTypes: [EventType] = [.searchSaved, .searchEdited, .searchRemoved, .searchSeen, .searchAlerted]
}

extension AccountRegistered: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountRegistered()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        return try EventDraft(.accountRegistered, [Tag(.account, account.value), Tag(.phone, phone.value)], message)
    }

    init(_ message: WireAccountRegistered, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            account: try event.id(.account), phone: try event.secret(.phone),
            sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"))
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("phone", .secret(phone)), FactField("sealedPhone", .sealed(sealedPhone))]
    }
}

extension SessionStarted: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionStarted()
        message.token = WireBytes.data(token)
        message.expiresAt = expiresAt.microseconds
        return try EventDraft(.sessionStarted, [Tag(.account, account.value), Tag(.session, session.value)], message)
    }

    init(_ message: WireSessionStarted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            session: try event.id(.session), account: try event.id(.account), token: try WireBytes.secret(message.token, "token"),
            expiresAt: Instant(microseconds: message.expiresAt))
    }

    var fields: [FactField] {
        [FactField("session", .id(session)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt)), FactField("token", .secret(token))]
    }
}

extension SessionRefreshed: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionRefreshed()
        message.token = WireBytes.data(token)
        message.expiresAt = expiresAt.microseconds
        return try EventDraft(.sessionRefreshed, [Tag(.account, account.value), Tag(.session, session.value)], message)
    }

    init(_ message: WireSessionRefreshed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            session: try event.id(.session), account: try event.id(.account), token: try WireBytes.secret(message.token, "token"),
            expiresAt: Instant(microseconds: message.expiresAt))
    }

    var fields: [FactField] {
        [FactField("session", .id(session)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt)), FactField("token", .secret(token))]
    }
}

extension SessionEnded: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionEnded()
        message.ending = try ending.wireField()
        return try EventDraft(.sessionEnded, [Tag(.account, account.value), Tag(.session, session.value)], message)
    }

    init(_ message: WireSessionEnded, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(session: try event.id(.session), account: try event.id(.account), ending: try SessionEnding(wireField: message.ending))
    }

    var fields: [FactField] {
        [FactField("session", .id(session)), FactField("account", .id(account)), FactField("ending", .symbol(ending.name))]
    }
}

extension PasswordSet: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePasswordSet()
        message.sealedHash = try WireBytes.data(sealedHash, "sealedHash")
        return try EventDraft(.passwordSet, [Tag(.account, account.value)], message)
    }

    init(_ message: WirePasswordSet, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(account: try event.id(.account), sealedHash: try WireBytes.sealed(message.sealedHash, "sealedHash"))
    }

    var fields: [FactField] { [FactField("account", .id(account)), FactField("sealedHash", .sealed(sealedHash))] }
}

extension AccountErased: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.accountErased, [Tag(.account, account.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(1)
        self.init(account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("account", .id(account))] }
}

extension PasswordRemoved: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.passwordRemoved, [Tag(.account, account.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(1)
        self.init(account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("account", .id(account))] }
}

extension PhoneChanged: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePhoneChanged()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        return try EventDraft(.phoneChanged, [Tag(.account, account.value)], message)
    }

    init(_ message: WirePhoneChanged, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(account: try event.id(.account), sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"))
    }

    var fields: [FactField] { [FactField("account", .id(account)), FactField("sealedPhone", .sealed(sealedPhone))] }
}

extension StaffAdded: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.staffAdded, [Tag(.account, account.value), Tag(.shop, shop.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("shop", .id(shop)), FactField("account", .id(account))] }
}

extension StaffRemoved: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.staffRemoved, [Tag(.account, account.value), Tag(.shop, shop.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("shop", .id(shop)), FactField("account", .id(account))] }
}

extension ShopSuspended: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopSuspended()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.shopSuspended, [Tag(.shop, shop.value)], message)
    }

    init(_ message: WireShopSuspended, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(shop: try event.id(.shop), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] { [FactField("shop", .id(shop)), FactField("reason", .typed(reason))] }
}

extension ShopReinstated: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopReinstated()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.shopReinstated, [Tag(.shop, shop.value)], message)
    }

    init(_ message: WireShopReinstated, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(shop: try event.id(.shop), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] { [FactField("shop", .id(shop)), FactField("reason", .typed(reason))] }
}

extension CampaignEnded: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.campaignEnded, [Tag(.shop, shop.value), Tag(.campaign, campaign.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(campaign: try event.id(.campaign), shop: try event.id(.shop))
    }

    var fields: [FactField] { [FactField("campaign", .id(campaign)), FactField("shop", .id(shop))] }
}

extension CampaignReopened: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCampaignReopened()
        message.endsAt = endsAt.microseconds
        return try EventDraft(.campaignReopened, [Tag(.shop, shop.value), Tag(.campaign, campaign.value)], message)
    }

    init(_ message: WireCampaignReopened, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(campaign: try event.id(.campaign), shop: try event.id(.shop), endsAt: Instant(microseconds: message.endsAt))
    }

    var fields: [FactField] { [FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("endsAt", .time(endsAt))] }
}

extension CodeIssued: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCodeIssued()
        message.attempt = UInt32(try WireRange.check(attempt, 0...255, "attempt"))
        message.stamps = UInt32(try WireRange.check(stamps, 1...10, "stamps"))
        message.expiresAt = expiresAt.microseconds
        return try EventDraft(.codeIssued, [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value), Tag(.codeSecret, secret.value)] + WireHome.tags(home, besides: shop), message)
    }

    init(_ message: WireCodeIssued, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 4)
        self.init(
            code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop), home: home,
            secret: try event.secret(.codeSecret), attempt: try WireRange.check(message.attempt, 0...255, "attempt"),
            stamps: try WireRange.check(message.stamps, 1...10, "stamps"), expiresAt: Instant(microseconds: message.expiresAt))
    }

    var fields: [FactField] {
        [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("stamps", .integer(stamps)), FactField("expiresAt", .time(expiresAt)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret))] + homeFields
    }
}

extension CodeDestroyed: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.codeDestroyed, [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(3)
        self.init(code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop))
    }

    var fields: [FactField] { [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop))] }
}

extension CardDiscarded: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.cardDiscarded, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(4)
        self.init(card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder))]
    }
}

extension CardAdjusted: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardAdjusted()
        message.stamps = Int32(try WireRange.check(stamps, -50...50, never: 0, "stamps"))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.cardAdjusted, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)], message)
    }

    init(_ message: WireCardAdjusted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            stamps: try WireRange.check(message.stamps, -50...50, never: 0, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("stamps", .integer(stamps)), FactField("reason", .typed(reason))]
    }
}

extension StampReversed: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStampReversed()
        message.stamps = UInt32(try WireRange.check(stamps, 1...50, "stamps"))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        message.left = UInt32(try WireRange.check(left, 0...60, "left"))
        return try EventDraft(.stampReversed, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value), Tag(.card, card.value)] + WireHome.tags(home, besides: shop), message)
    }

    init(_ message: WireStampReversed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 5)
        self.init(
            card: try event.id(.card), code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop), home: home,
            holder: try event.id(.account), stamps: try WireRange.check(message.stamps, 1...50, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"),
            left: try WireRange.check(message.left, 0...60, "left"))
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("stamps", .integer(stamps)), FactField("reason", .typed(reason))] + (left == .zero ? [] : [FactField("left", .integer(left))]) + homeFields
    }
}

extension CardExpired: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardExpired()
        message.dueAt = dueAt.microseconds
        return try EventDraft(.cardExpired, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)], message)
    }

    init(_ message: WireCardExpired, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            dueAt: Instant(microseconds: message.dueAt))
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("dueAt", .time(dueAt))]
    }
}

extension CardReminded: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardReminded()
        message.daysLeft = UInt32(try WireRange.check(daysLeft, among: [14, 2], "daysLeft"))
        message.dueAt = dueAt.microseconds
        return try EventDraft(.cardReminded, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.notice, notice.value)], message)
    }

    init(_ message: WireCardReminded, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            notice: try event.id(.notice), daysLeft: try WireRange.check(message.daysLeft, among: [14, 2], "daysLeft"),
            dueAt: Instant(microseconds: message.dueAt))
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("notice", .id(notice)), FactField("daysLeft", .integer(daysLeft)), FactField("dueAt", .time(dueAt))]
    }
}

extension WaitingCardTaken: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireWaitingCardTaken()
        if let from { message.from = WireBytes.data(id: from.value) }
        message.goal = UInt32(try WireRange.check(goal, 1...50, "goal"))
        message.stamps = UInt32(try WireRange.check(stamps, 0...50, "stamps"))
        message.moved = UInt32(try WireRange.check(moved, 0...50, "moved"))
        if let onto { message.onto = WireBytes.data(id: onto.value) }
        message.codes = UInt32(try WireRange.check(codes, 0...1_000, "codes"))
        message.worth = UInt32(try WireRange.check(worth, 0...50, "worth"))
        return try EventDraft(.waitingCardTaken, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)], message)
    }

    init(_ message: WireWaitingCardTaken, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            from: try WireBytes.id(message.from, "from").map { AccountID($0) }, goal: try WireRange.check(message.goal, 1...50, "goal"),
            stamps: try WireRange.check(message.stamps, 0...50, "stamps"), moved: try WireRange.check(message.moved, 0...50, "moved"),
            onto: try WireBytes.id(message.onto, "onto").map { CardID($0) }, codes: try WireRange.check(message.codes, 0...1_000, "codes"),
            worth: try WireRange.check(message.worth, 0...50, "worth"))
    }

    var fields: [FactField] {
        [FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder))] + (from.map { [FactField("from", .id($0))] } ?? []) + [FactField("goal", .integer(goal)), FactField("stamps", .integer(stamps)), FactField("moved", .integer(moved))] + (onto.map { [FactField("onto", .id($0))] } ?? []) + [FactField("codes", .integer(codes)), FactField("worth", .integer(worth))]
    }
}

extension RedemptionRequested: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRedemptionRequested()
        message.attempt = UInt32(try WireRange.check(attempt, 0...255, "attempt"))
        message.expiresAt = expiresAt.microseconds
        return try EventDraft(.redemptionRequested, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value), Tag(.redemptionSecret, secret.value)], message)
    }

    init(_ message: WireRedemptionRequested, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(6)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            holder: try event.id(.account), secret: try event.secret(.redemptionSecret),
            attempt: try WireRange.check(message.attempt, 0...255, "attempt"), expiresAt: Instant(microseconds: message.expiresAt))
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("expiresAt", .time(expiresAt)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret))]
    }
}

extension CardRedeemed: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        try EventDraft(.cardRedeemed, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value)] + WireHome.tags(home, besides: shop))
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 5)
        try event.expectNoPayload()
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, holder: try event.id(.account))
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder))] + homeFields
    }
}

extension RedemptionReversed: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRedemptionReversed()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.redemptionReversed, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value)] + WireHome.tags(home, besides: shop), message)
    }

    init(_ message: WireRedemptionReversed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 5)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, holder: try event.id(.account), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("reason", .typed(reason))] + homeFields
    }
}

extension MilestoneRequested: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneRequested()
        message.milestone = UInt32(try WireRange.check(milestone, 1...49, "milestone"))
        message.attempt = UInt32(try WireRange.check(attempt, 0...255, "attempt"))
        message.expiresAt = expiresAt.microseconds
        return try EventDraft(.milestoneRequested, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value), Tag(.redemptionSecret, secret.value)], message)
    }

    init(_ message: WireMilestoneRequested, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(6)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            holder: try event.id(.account), secret: try event.secret(.redemptionSecret),
            milestone: try WireRange.check(message.milestone, 1...49, "milestone"),
            attempt: try WireRange.check(message.attempt, 0...255, "attempt"), expiresAt: Instant(microseconds: message.expiresAt))
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("milestone", .integer(milestone)), FactField("expiresAt", .time(expiresAt)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret))]
    }
}

extension MilestoneRedeemed: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneRedeemed()
        message.milestone = UInt32(try WireRange.check(milestone, 1...49, "milestone"))
        return try EventDraft(.milestoneRedeemed, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value)] + WireHome.tags(home, besides: shop), message)
    }

    init(_ message: WireMilestoneRedeemed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 5)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, holder: try event.id(.account), milestone: try WireRange.check(message.milestone, 1...49, "milestone"))
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("milestone", .integer(milestone))] + homeFields
    }
}

extension MilestoneReversed: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneReversed()
        message.milestone = UInt32(try WireRange.check(milestone, 1...49, "milestone"))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.milestoneReversed, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value), Tag(.redemption, redemption.value)] + WireHome.tags(home, besides: shop), message)
    }

    init(_ message: WireMilestoneReversed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 5)
        self.init(
            redemption: try event.id(.redemption), card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, holder: try event.id(.account), milestone: try WireRange.check(message.milestone, 1...49, "milestone"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] {
        [FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("milestone", .integer(milestone)), FactField("reason", .typed(reason))] + homeFields
    }
}

extension ReviewPosted: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReviewPosted()
        if let rating { message.rating = UInt32(try WireRange.check(rating, 1...5, "rating")) }
        if let text { message.sealedText = try WireBytes.data(text, "text") }
        return try EventDraft(.reviewPosted, [Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, review.value)], message)
    }

    init(_ message: WireReviewPosted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            review: try event.id(.review), shop: try event.id(.shop), author: try event.id(.account),
            rating: message.hasRating ? try WireRange.check(message.rating, 1...5, "rating") : nil,
            text: message.hasSealedText ? try WireBytes.sealed(message.sealedText, "text") : nil)
    }

    var fields: [FactField] {
        [FactField("review", .id(review)), FactField("shop", .id(shop)), FactField("author", .id(author))] + (rating.map { [FactField("rating", .integer($0))] } ?? []) + (text.map { [FactField("text", .sealed($0))] } ?? [])
    }
}

extension ReplyPosted: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReplyPosted()
        message.depth = UInt32(try WireRange.check(depth, 1...8, "depth"))
        message.sealedText = try WireBytes.data(text, "text")
        return try EventDraft(.replyPosted, [Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, reply.value), Tag(.parent, parent.value), Tag(.thread, thread.value)], message)
    }

    init(_ message: WireReplyPosted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        self.init(
            reply: try event.id(.review), parent: try event.id(.parent), thread: try event.id(.thread), shop: try event.id(.shop),
            author: try event.id(.account), depth: try WireRange.check(message.depth, 1...8, "depth"),
            text: try WireBytes.sealed(message.sealedText, "text"))
    }

    var fields: [FactField] {
        [FactField("reply", .id(reply)), FactField("parent", .id(parent)), FactField("thread", .id(thread)), FactField("shop", .id(shop)), FactField("author", .id(author)), FactField("depth", .integer(depth)), FactField("text", .sealed(text))]
    }
}

extension ReviewRemoved: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReviewRemoved()
        message.byOperator = byOperator
        return try EventDraft(.reviewRemoved, [Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, review.value), Tag(.thread, thread.value)], message)
    }

    init(_ message: WireReviewRemoved, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            review: try event.id(.review), thread: try event.id(.thread), shop: try event.id(.shop), author: try event.id(.account),
            byOperator: message.byOperator)
    }

    var fields: [FactField] {
        [FactField("review", .id(review)), FactField("thread", .id(thread)), FactField("shop", .id(shop)), FactField("author", .id(author)), FactField("byOperator", .symbol(byOperator ? "true" : "false"))]
    }
}

extension FavoriteAdded: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.favoriteAdded, [Tag(.account, account.value), Tag(.campaign, campaign.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(account: try event.id(.account), campaign: try event.id(.campaign))
    }

    var fields: [FactField] { [FactField("account", .id(account)), FactField("campaign", .id(campaign))] }
}

extension FavoriteRemoved: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.favoriteRemoved, [Tag(.account, account.value), Tag(.campaign, campaign.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(account: try event.id(.account), campaign: try event.id(.campaign))
    }

    var fields: [FactField] { [FactField("account", .id(account)), FactField("campaign", .id(campaign))] }
}

extension NoticePosted: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireNoticePosted()
        message.sealedTitle = try WireBytes.data(title, "title")
        message.sealedText = try WireBytes.data(text, "text")
        if let dueAt { message.dueAt = dueAt.microseconds }
        return try EventDraft(.noticePosted, [Tag(.account, author.value)] + audience.tags + [Tag(.notice, notice.value)], message)
    }

    init(_ message: WireNoticePosted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(event.value(of: .campaign) == nil ? 3 : 4)
        self.init(
            notice: try event.id(.notice), audience: try NoticeAudience(of: event), author: try event.id(.account),
            title: try WireBytes.sealed(message.sealedTitle, "title"), text: try WireBytes.sealed(message.sealedText, "text"),
            dueAt: message.hasDueAt ? Instant(microseconds: message.dueAt) : nil)
    }

    var fields: [FactField] {
        [FactField("notice", .id(notice))] + audience.fields + [FactField("author", .id(author))] + (dueAt.map { [FactField("dueAt", .time($0))] } ?? []) + [FactField("title", .sealed(title)), FactField("text", .sealed(text))]
    }
}

extension NoticeRead: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.noticeRead, [Tag(.account, account.value), Tag(.notice, notice.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(notice: try event.id(.notice), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("notice", .id(notice)), FactField("account", .id(account))] }
}

extension NoticeScheduled: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireNoticeScheduled()
        message.sealedTitle = try WireBytes.data(title, "title")
        message.sealedText = try WireBytes.data(text, "text")
        message.publishAt = publishAt.microseconds
        return try EventDraft(.noticeScheduled, [Tag(.account, author.value)] + audience.tags + [Tag(.notice, notice.value)], message)
    }

    init(_ message: WireNoticeScheduled, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(event.value(of: .campaign) == nil ? 3 : 4)
        self.init(
            notice: try event.id(.notice), audience: try NoticeAudience(of: event), author: try event.id(.account),
            title: try WireBytes.sealed(message.sealedTitle, "title"), text: try WireBytes.sealed(message.sealedText, "text"),
            publishAt: Instant(microseconds: message.publishAt))
    }

    var fields: [FactField] {
        [FactField("notice", .id(notice))] + audience.fields + [FactField("author", .id(author)), FactField("publishAt", .time(publishAt)), FactField("title", .sealed(title)), FactField("text", .sealed(text))]
    }
}

extension NoticeWithdrawn: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.noticeWithdrawn, [Tag(.account, author.value), Tag(.notice, notice.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(notice: try event.id(.notice), author: try event.id(.account))
    }

    var fields: [FactField] { [FactField("notice", .id(notice)), FactField("author", .id(author))] }
}

extension NoticeLapsed: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireNoticeLapsed()
        message.dueAt = dueAt.microseconds
        return try EventDraft(.noticeLapsed, [Tag(.account, author.value), Tag(.notice, notice.value)], message)
    }

    init(_ message: WireNoticeLapsed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(notice: try event.id(.notice), author: try event.id(.account), dueAt: Instant(microseconds: message.dueAt))
    }

    var fields: [FactField] { [FactField("notice", .id(notice)), FactField("author", .id(author)), FactField("dueAt", .time(dueAt))] }
}

extension FeedbackGiven: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireFeedbackGiven()
        message.sealedText = try WireBytes.data(text, "text")
        return try EventDraft(.feedbackGiven, [Tag(.account, author.value)], message)
    }

    init(_ message: WireFeedbackGiven, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(author: try event.id(.account), text: try WireBytes.sealed(message.sealedText, "text"))
    }

    var fields: [FactField] { [FactField("author", .id(author)), FactField("text", .sealed(text))] }
}

extension StaffInvited: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStaffInvited()
        message.expiresAt = expiresAt.microseconds
        message.role = try role.wireField()
        return try EventDraft(.staffInvited, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)], message)
    }

    init(_ message: WireStaffInvited, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            expiresAt: Instant(microseconds: message.expiresAt), role: try Role(wireField: message.role))
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt))] + (role == .counter ? [] : [FactField("role", .symbol(role.name))])
    }
}

extension InvitationEnded: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.invitationEnded, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(3)
        self.init(invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))] }
}

extension StaffJoined: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStaffJoined()
        message.role = try role.wireField()
        return try EventDraft(.staffJoined, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)], message)
    }

    init(_ message: WireStaffJoined, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            role: try Role(wireField: message.role))
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))] + (role == .counter ? [] : [FactField("role", .symbol(role.name))])
    }
}

extension EmploymentEnded: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.employmentEnded, [Tag(.account, account.value), Tag(.shop, shop.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("shop", .id(shop)), FactField("account", .id(account))] }
}

extension ShopMuted: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.shopMuted, [Tag(.account, account.value), Tag(.shop, shop.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("shop", .id(shop)), FactField("account", .id(account))] }
}

extension ShopUnmuted: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.shopUnmuted, [Tag(.account, account.value), Tag(.shop, shop.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("shop", .id(shop)), FactField("account", .id(account))] }
}

extension RoleChanged: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRoleChanged()
        message.role = try role.wireField()
        return try EventDraft(.roleChanged, [Tag(.account, account.value), Tag(.shop, shop.value)] + (invitation.map { [Tag(.invitation, $0.value)] } ?? []), message)
    }

    init(_ message: WireRoleChanged, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(event.value(of: .invitation) == nil ? 2 : 3)
        self.init(
            shop: try event.id(.shop), account: try event.id(.account), invitation: event.value(of: .invitation).map { InvitationID($0) },
            role: try Role(wireField: message.role))
    }

    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("role", .symbol(role.name))] + (invitation.map { [FactField("invitation", .id($0))] } ?? [])
    }
}

extension TransferOffered: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireTransferOffered()
        message.expiresAt = expiresAt.microseconds
        return try EventDraft(.transferOffered, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)], message)
    }

    init(_ message: WireTransferOffered, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            expiresAt: Instant(microseconds: message.expiresAt))
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt))]
    }
}

extension ShopTransferred: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.shopTransferred, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value), Tag(.formerOwner, formerOwner.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(4)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            formerOwner: try event.id(.formerOwner))
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("formerOwner", .id(formerOwner))]
    }
}

extension TransferLapsed: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireTransferLapsed()
        message.dueAt = dueAt.microseconds
        return try EventDraft(.transferLapsed, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)], message)
    }

    init(_ message: WireTransferLapsed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            dueAt: Instant(microseconds: message.dueAt))
    }

    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("dueAt", .time(dueAt))]
    }
}

extension StaffLabeled: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStaffLabeled()
        message.label = label.clearField
        message.sealedLabel = try label.sealedField("label")
        return try EventDraft(.staffLabeled, [Tag(.account, account.value), Tag(.shop, shop.value)], message)
    }

    init(_ message: WireStaffLabeled, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            shop: try event.id(.shop), account: try event.id(.account),
            label: try TypedText(clear: message.label, sealed: message.sealedLabel, "label"))
    }

    var fields: [FactField] { [FactField("shop", .id(shop)), FactField("account", .id(account)), FactField("label", .typed(label))] }
}

extension WaitingOfferTaken: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.waitingOfferTaken, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(3)
        self.init(invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))] }
}

extension ImageTakenDown: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireImageTakenDown()
        message.byOperator = byOperator
        return try EventDraft(.imageTakenDown, [Tag(.image, image.value)], message)
    }

    init(_ message: WireImageTakenDown, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(image: try event.id(.image), byOperator: message.byOperator)
    }

    var fields: [FactField] { [FactField("image", .id(image)), FactField("byOperator", .symbol(byOperator ? "true" : "false"))] }
}

extension AccountSuspended: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountSuspended()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.accountSuspended, [Tag(.account, account.value)], message)
    }

    init(_ message: WireAccountSuspended, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(account: try event.id(.account), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] { [FactField("account", .id(account)), FactField("reason", .typed(reason))] }
}

extension AccountReinstated: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountReinstated()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.accountReinstated, [Tag(.account, account.value)], message)
    }

    init(_ message: WireAccountReinstated, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(account: try event.id(.account), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] { [FactField("account", .id(account)), FactField("reason", .typed(reason))] }
}

extension AccountSearched: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        EventDraft(.accountSearched, (account.map { [Tag(.account, $0.value)] } ?? []) + (shop.map { [Tag(.shop, $0.value)] } ?? []))
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags((event.value(of: .account) == nil ? 0 : 1) + (event.value(of: .shop) == nil ? 0 : 1))
        self.init(account: event.value(of: .account).map { AccountID($0) }, shop: event.value(of: .shop).map { ShopID($0) })
    }

    var fields: [FactField] { (account.map { [FactField("account", .id($0))] } ?? []) + (shop.map { [FactField("shop", .id($0))] } ?? []) }
}

extension PhoneChangeRequested: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePhoneChangeRequested()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        message.holdsAt = holdsAt.microseconds
        return try EventDraft(.phoneChangeRequested, [Tag(.account, account.value)], message)
    }

    init(_ message: WirePhoneChangeRequested, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(
            account: try event.id(.account), sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"),
            holdsAt: Instant(microseconds: message.holdsAt))
    }

    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("holdsAt", .time(holdsAt)), FactField("reason", .typed(reason)), FactField("sealedPhone", .sealed(sealedPhone))]
    }
}

extension PhoneChangeEnded: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.phoneChangeEnded, [Tag(.account, account.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(1)
        self.init(account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("account", .id(account))] }
}

extension PaperCardsPrinted: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperCardsPrinted()
        message.attempt = UInt32(try WireRange.check(attempt, 0...255, "attempt"))
        message.count = UInt32(try WireRange.check(count, 1...500, "count"))
        return try EventDraft(.paperCardsPrinted, [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.print, print.value), Tag(.printSecret, secret.value)], message)
    }

    init(_ message: WirePaperCardsPrinted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            print: try event.id(.print), campaign: try event.id(.campaign), shop: try event.id(.shop),
            secret: try event.secret(.printSecret), attempt: try WireRange.check(message.attempt, 0...255, "attempt"),
            count: try WireRange.check(message.count, 1...500, "count"))
    }

    var fields: [FactField] {
        [FactField("print", .id(print)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("count", .integer(count)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret))]
    }
}

extension PaperStamped: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperStamped()
        message.stamps = UInt32(try WireRange.check(stamps, 1...10, "stamps"))
        return try EventDraft(.paperStamped, [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)] + paper.tags + WireHome.tags(home, besides: shop), message)
    }

    init(_ message: WirePaperStamped, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 5)
        self.init(
            paper: try PaperName(of: event), code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, stamps: try WireRange.check(message.stamps, 1...10, "stamps"))
    }

    var fields: [FactField] {
        paper.fields + [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("stamps", .integer(stamps))] + homeFields
    }
}

extension PaperCardTaken: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperCardTaken()
        message.stamps = UInt32(try WireRange.check(stamps, 0...50, "stamps"))
        return try EventDraft(.paperCardTaken, [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value)] + paper.tags, message)
    }

    init(_ message: WirePaperCardTaken, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        self.init(
            paper: try PaperName(of: event), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            stamps: try WireRange.check(message.stamps, 0...50, "stamps"))
    }

    var fields: [FactField] {
        paper.fields + [FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("stamps", .integer(stamps))]
    }
}

extension PaperStampReversed: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperStampReversed()
        message.stamps = UInt32(try WireRange.check(stamps, 1...10, "stamps"))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.paperStampReversed, [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)] + paper.tags + WireHome.tags(home, besides: shop), message)
    }

    init(_ message: WirePaperStampReversed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 5)
        self.init(
            paper: try PaperName(of: event), code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop),
            home: home, stamps: try WireRange.check(message.stamps, 1...10, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    var fields: [FactField] {
        paper.fields + [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("stamps", .integer(stamps)), FactField("reason", .typed(reason))] + homeFields
    }
}

extension SearchSaved: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSearchSaved()
        message.sealedTerms = try WireBytes.data(terms, "terms")
        message.alerts = alerts
        return try EventDraft(.searchSaved, [Tag(.account, account.value), Tag(.search, search.value)], message)
    }

    init(_ message: WireSearchSaved, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            search: try event.id(.search), account: try event.id(.account), terms: try WireBytes.sealed(message.sealedTerms, "terms"),
            alerts: message.alerts)
    }

    var fields: [FactField] {
        [FactField("search", .id(search)), FactField("account", .id(account)), FactField("terms", .sealed(terms)), FactField("alerts", .symbol(alerts ? "true" : "false"))]
    }
}

extension SearchEdited: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSearchEdited()
        message.sealedTerms = try WireBytes.data(terms, "terms")
        message.alerts = alerts
        return try EventDraft(.searchEdited, [Tag(.account, account.value), Tag(.search, search.value)], message)
    }

    init(_ message: WireSearchEdited, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        self.init(
            search: try event.id(.search), account: try event.id(.account), terms: try WireBytes.sealed(message.sealedTerms, "terms"),
            alerts: message.alerts)
    }

    var fields: [FactField] {
        [FactField("search", .id(search)), FactField("account", .id(account)), FactField("terms", .sealed(terms)), FactField("alerts", .symbol(alerts ? "true" : "false"))]
    }
}

extension SearchRemoved: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.searchRemoved, [Tag(.account, account.value), Tag(.search, search.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(search: try event.id(.search), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("search", .id(search)), FactField("account", .id(account))] }
}

extension SearchSeen: CodedEvent {
    func draft() throws(CodecError) -> EventDraft { EventDraft(.searchSeen, [Tag(.account, account.value), Tag(.search, search.value)]) }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectOnlyTags(2)
        self.init(search: try event.id(.search), account: try event.id(.account))
    }

    var fields: [FactField] { [FactField("search", .id(search)), FactField("account", .id(account))] }
}

extension SearchAlerted: MessageEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSearchAlerted()
        message.dueAt = dueAt.microseconds
        message.through = try through.wireField()
        message.campaigns = try campaigns.wireField()
        message.hasMore = hasMore
        return try EventDraft(.searchAlerted, [Tag(.account, account.value), Tag(.notice, notice.value), Tag(.search, search.value)], message)
    }

    init(_ message: WireSearchAlerted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            search: try event.id(.search), account: try event.id(.account), notice: try event.id(.notice),
            dueAt: Instant(microseconds: message.dueAt), through: try SearchedThrough(wireField: message.through),
            campaigns: try FoundCampaigns(wireField: message.campaigns), hasMore: message.hasMore)
    }

    var fields: [FactField] {
        [FactField("search", .id(search)), FactField("account", .id(account)), FactField("notice", .id(notice)), FactField("dueAt", .time(dueAt)), FactField("through", .symbol(through.name)), FactField("campaigns", .symbol(campaigns.name)), FactField("hasMore", .symbol(hasMore ? "true" : "false"))]
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
    case search = 37

    /// The TypeID prefix; nil for keyed hashes.
    var idPrefix: String? {
        switch self {
        case .account, .formerOwner: Account.idPrefix
        case .shop, .home: Shop.idPrefix
        case .campaign: Campaign.idPrefix
        case .code: Code.idPrefix
        case .card: Card.idPrefix
        case .redemption: Redemption.idPrefix
        case .review, .parent, .thread: Review.idPrefix
        case .session: Session.idPrefix
        case .codeSecret, .redemptionSecret, .phone, .request, .digest, .printSecret: nil
        case .image: Image.idPrefix
        case .notice: Notice.idPrefix
        case .invitation: Invitation.idPrefix
        case .print: PaperPrint.idPrefix
        case .paper: Paper.idPrefix
        case .search: SavedSearch.idPrefix
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
    @inlinable public static var search: TagKind { TagKind(rawValue: 37) }
}

extension Account: Identified { public static var idPrefix: String { "acct" } }
extension Shop: Identified { public static var idPrefix: String { "shop" } }
extension Campaign: Identified { public static var idPrefix: String { "camp" } }
extension Code: Identified { public static var idPrefix: String { "code" } }
extension Card: Identified { public static var idPrefix: String { "card" } }
extension Redemption: Identified { public static var idPrefix: String { "rdm" } }
extension Review: Identified { public static var idPrefix: String { "rev" } }
extension Session: Identified { public static var idPrefix: String { "ses" } }
extension Image: Identified { public static var idPrefix: String { "img" } }
extension Notice: Identified { public static var idPrefix: String { "ntc" } }
extension Invitation: Identified { public static var idPrefix: String { "inv" } }
extension PaperPrint: Identified { public static var idPrefix: String { "print" } }
extension Paper: Identified { public static var idPrefix: String { "paper" } }
extension SavedSearch: Identified { public static var idPrefix: String { "srch" } }
