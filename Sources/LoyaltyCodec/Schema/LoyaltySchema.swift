public import EventLog

/// The names and numbers that a log must agree with before this program reads or writes it.
public enum LoyaltySchema {
    /// Every event type and tag kind of GreenTea by number and name. When a log is opened, new numbers are added to the log's table of
    /// names. A log that has another name for one of the numbers is refused.
    public static let schema = Schema(types: typeNames, tagKinds: tagRules)

    /// For each event type, the schema version that is written today or was written last. Lower versions stay readable for ever.
    public static let versions: [EventType: UInt16] = Dictionary(
        uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.currentVersion) })

    /// Every retired version of an event type. All of them can still be read.
    package static let retired: [RetiredVersion] = Upcasters.all.map {
        RetiredVersion(type: EventType(rawValue: $0.type.rawValue), version: $0.version, upcaster: "\($0)", about: $0.about)
    }

    /// The prefix of the ids of a tag kind; nil if its values are keyed hashes.
    package static func idPrefix(of kind: TagKind) -> String? { WireTag(kind)?.idPrefix }

    private static var typeNames: [EventType: String] {
        Dictionary(uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.name) })
    }

    private static var tagRules: [TagKind: TagKindRule] {
        Dictionary(
            uniqueKeysWithValues: WireTag.allCases.map { ($0.kind, TagKindRule(name: $0.name, isIndexed: $0.isIndexed)) })
    }
}

/// A version of an event type that is no longer written, and its upcaster.
package struct RetiredVersion: Hashable, Sendable {
    package let type: EventType
    package let version: UInt16
    /// The name of the version's upcaster.
    package let upcaster: String
    /// The difference from the next version, and the values that today's event gets in place of missing fields.
    package let about: String
}

/// The numbers of GreenTea's event types. `LoyaltySchema` has their names.
extension EventType {
    /// A person signed in for the first time.
    @inlinable public static var accountRegistered: EventType { EventType(rawValue: 1) }
    /// A session began.
    @inlinable public static var sessionStarted: EventType { EventType(rawValue: 2) }
    /// A refresh token was used, and a new token replaced it.
    @inlinable public static var sessionRefreshed: EventType { EventType(rawValue: 3) }
    /// A session ended.
    @inlinable public static var sessionEnded: EventType { EventType(rawValue: 4) }
    /// A person changed their profile.
    @inlinable public static var profileEdited: EventType { EventType(rawValue: 5) }
    /// A person set or replaced their password.
    @inlinable public static var passwordSet: EventType { EventType(rawValue: 6) }
    /// An account was erased.
    @inlinable public static var accountErased: EventType { EventType(rawValue: 7) }
    /// A person removed their password.
    @inlinable public static var passwordRemoved: EventType { EventType(rawValue: 8) }
    /// An account's phone number was changed.
    @inlinable public static var phoneChanged: EventType { EventType(rawValue: 9) }
    /// A merchant opened a shop.
    @inlinable public static var shopOpened: EventType { EventType(rawValue: 10) }
    /// An owner changed fields of a shop, such as its name or its address.
    @inlinable public static var shopEdited: EventType { EventType(rawValue: 11) }
    /// An account works for a shop from now on. Only older releases wrote this event; see `staffJoined`.
    @inlinable public static var staffAdded: EventType { EventType(rawValue: 12) }
    /// An account no longer works for a shop. Only older releases wrote this event; see `employmentEnded`.
    @inlinable public static var staffRemoved: EventType { EventType(rawValue: 13) }
    /// An operator suspended a shop.
    @inlinable public static var shopSuspended: EventType { EventType(rawValue: 14) }
    /// An operator reinstated a suspended shop.
    @inlinable public static var shopReinstated: EventType { EventType(rawValue: 15) }
    /// A shop closed for good.
    @inlinable public static var shopClosed: EventType { EventType(rawValue: 111) }
    /// A shop published a campaign.
    @inlinable public static var campaignPublished: EventType { EventType(rawValue: 20) }
    /// A campaign was ended before its time.
    @inlinable public static var campaignEnded: EventType { EventType(rawValue: 21) }
    /// A shop changed a campaign.
    @inlinable public static var campaignEdited: EventType { EventType(rawValue: 22) }
    @inlinable public static var campaignReopened: EventType { EventType(rawValue: 23) }
    /// A shop issued a stamp code.
    @inlinable public static var codeIssued: EventType { EventType(rawValue: 30) }
    /// A shop withdrew a stamp code.
    @inlinable public static var codeDestroyed: EventType { EventType(rawValue: 31) }
    /// A card was opened: by the first stamps on it, or by claiming a coupon.
    @inlinable public static var cardOpened: EventType { EventType(rawValue: 40) }
    /// A code added stamps to a card.
    @inlinable public static var cardStamped: EventType { EventType(rawValue: 41) }
    /// A holder discarded a card, or a reversal of stamps emptied and discarded it.
    @inlinable public static var cardDiscarded: EventType { EventType(rawValue: 42) }
    /// An operator corrected a card's stamps.
    @inlinable public static var cardAdjusted: EventType { EventType(rawValue: 43) }
    /// A shop took back stamps that a code gave.
    @inlinable public static var stampReversed: EventType { EventType(rawValue: 44) }
    /// A card expired.
    @inlinable public static var cardExpired: EventType { EventType(rawValue: 45) }
    /// A holder was reminded that a card will expire soon.
    @inlinable public static var cardReminded: EventType { EventType(rawValue: 46) }
    /// An account that verified a phone number took over a card that waited for the number.
    @inlinable public static var waitingCardTaken: EventType { EventType(rawValue: 47) }
    /// A holder requested a redemption code.
    @inlinable public static var redemptionRequested: EventType { EventType(rawValue: 50) }
    /// A shop handed out a reward.
    @inlinable public static var cardRedeemed: EventType { EventType(rawValue: 51) }
    /// A shop took a reward back.
    @inlinable public static var redemptionReversed: EventType { EventType(rawValue: 52) }
    /// A holder requested a code for a milestone's reward.
    @inlinable public static var milestoneRequested: EventType { EventType(rawValue: 53) }
    /// A shop handed out a milestone's reward.
    @inlinable public static var milestoneRedeemed: EventType { EventType(rawValue: 54) }
    /// A shop took a milestone's reward back.
    @inlinable public static var milestoneReversed: EventType { EventType(rawValue: 55) }
    /// A customer rated a shop or wrote about it.
    @inlinable public static var reviewPosted: EventType { EventType(rawValue: 60) }
    /// An account answered a review or a reply.
    @inlinable public static var replyPosted: EventType { EventType(rawValue: 61) }
    /// A review or a reply was removed.
    @inlinable public static var reviewRemoved: EventType { EventType(rawValue: 62) }
    /// The operator or a shop posted a notice to many accounts.
    @inlinable public static var noticePosted: EventType { EventType(rawValue: 80) }
    /// An account has read a notice.
    @inlinable public static var noticeRead: EventType { EventType(rawValue: 81) }
    /// A notice was scheduled for later.
    @inlinable public static var noticeScheduled: EventType { EventType(rawValue: 82) }
    /// The author withdrew a notice before it appeared.
    @inlinable public static var noticeWithdrawn: EventType { EventType(rawValue: 83) }
    /// A scheduled notice was due and did not appear.
    @inlinable public static var noticeLapsed: EventType { EventType(rawValue: 84) }
    /// An account sent the operator feedback.
    @inlinable public static var feedbackGiven: EventType { EventType(rawValue: 90) }
    /// An account added a campaign to its favourites.
    @inlinable public static var favoriteAdded: EventType { EventType(rawValue: 70) }
    /// An account removed a campaign from its favourites.
    @inlinable public static var favoriteRemoved: EventType { EventType(rawValue: 71) }
    /// An owner offered an account work at a shop.
    @inlinable public static var staffInvited: EventType { EventType(rawValue: 100) }
    /// An offer of work or of a shop was declined by the invited account, or ended by the owner.
    @inlinable public static var invitationEnded: EventType { EventType(rawValue: 101) }
    /// An account accepted an offer of work, and works for a shop from now on.
    @inlinable public static var staffJoined: EventType { EventType(rawValue: 102) }
    /// An account no longer works for a shop; the open codes that the account issued at the shop became void.
    @inlinable public static var employmentEnded: EventType { EventType(rawValue: 103) }
    /// A member of a shop's staff got another role.
    @inlinable public static var roleChanged: EventType { EventType(rawValue: 106) }
    /// An owner offered a shop to another account.
    @inlinable public static var transferOffered: EventType { EventType(rawValue: 107) }
    /// An account accepted a shop that it was offered, and owns it.
    @inlinable public static var shopTransferred: EventType { EventType(rawValue: 108) }
    /// The offer of a shop has lapsed, because nobody answered it in time.
    @inlinable public static var transferLapsed: EventType { EventType(rawValue: 109) }
    /// An account muted a shop.
    @inlinable public static var shopMuted: EventType { EventType(rawValue: 104) }
    /// An account ended its mute of a shop.
    @inlinable public static var shopUnmuted: EventType { EventType(rawValue: 105) }
    /// A picture was taken down.
    @inlinable public static var imageTakenDown: EventType { EventType(rawValue: 120) }
    /// An operator suspended an account.
    @inlinable public static var accountSuspended: EventType { EventType(rawValue: 140) }
    /// An operator ended the suspension of an account.
    @inlinable public static var accountReinstated: EventType { EventType(rawValue: 141) }
    /// An operator looked up the account of a phone number.
    @inlinable public static var accountSearched: EventType { EventType(rawValue: 142) }
    /// An operator requested another phone number for an account.
    @inlinable public static var phoneChangeRequested: EventType { EventType(rawValue: 143) }
    /// The holder of an account objected to the phone number that an operator requested.
    @inlinable public static var phoneChangeEnded: EventType { EventType(rawValue: 144) }
    /// A shop printed paper cards of a campaign.
    @inlinable public static var paperCardsPrinted: EventType { EventType(rawValue: 150) }
    /// A shop stamped a paper card.
    @inlinable public static var paperStamped: EventType { EventType(rawValue: 151) }
    /// An account took a paper card. The paper card's stamps go onto the account's cards.
    @inlinable public static var paperCardTaken: EventType { EventType(rawValue: 152) }
    /// A shop took back a waiting code of a paper card.
    @inlinable public static var paperStampReversed: EventType { EventType(rawValue: 153) }
}
