public import EventLog
internal import Loyalty

/// The closed list of the kinds of tags: the number and the name of each kind, and whether its values are ids or keyed hashes.
///
/// The digest of a request is not indexed, but it is a tag and not a field of the payload. So the most frequent event, a stamp, needs no
/// payload. The digest shows whether an idempotency key is used again for a different request.
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

    init?(_ kind: TagKind) {
        self.init(rawValue: kind.rawValue)
    }

    init?(name: some StringProtocol) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    var kind: TagKind { TagKind(rawValue: rawValue) }

    /// The name of the kind. Tools show it, and each log stores it once, together with the kind's number.
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

    /// Whether the tag index has tags of this kind. The digests of requests are not indexed, because they are compared but never looked up.
    var isIndexed: Bool { self != .digest }

    /// The TypeID prefix of the ids that tags of this kind have; nil if the values are keyed hashes.
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
        case .image: Image.idPrefix
        case .notice: Notice.idPrefix
        case .invitation: Invitation.idPrefix
        case .print: PaperPrint.idPrefix
        case .paper: Paper.idPrefix
        case .codeSecret, .redemptionSecret, .printSecret, .phone, .request, .digest: nil
        }
    }
}

/// The kinds of tags in GreenTea's events. `LoyaltySchema` has the names of the kinds.
extension TagKind {
    /// The account that the event is about, such as the holder, the owner, the author, or the account that an offer names.
    @inlinable public static var account: TagKind { TagKind(rawValue: 1) }
    /// The shop at which the event happened, or that the event is about; 0 in a notice to everybody.
    @inlinable public static var shop: TagKind { TagKind(rawValue: 2) }
    /// The campaign to which the event belongs.
    @inlinable public static var campaign: TagKind { TagKind(rawValue: 3) }
    /// The id of a stamp code.
    @inlinable public static var code: TagKind { TagKind(rawValue: 4) }
    /// The id of a card.
    @inlinable public static var card: TagKind { TagKind(rawValue: 5) }
    /// The id of a redemption.
    @inlinable public static var redemption: TagKind { TagKind(rawValue: 6) }
    /// The id of a review or a reply.
    @inlinable public static var review: TagKind { TagKind(rawValue: 7) }
    /// The id of a session.
    @inlinable public static var session: TagKind { TagKind(rawValue: 8) }
    /// Keyed hash of a stamp code.
    @inlinable public static var codeSecret: TagKind { TagKind(rawValue: 9) }
    /// Keyed hash of a redemption code.
    @inlinable public static var redemptionSecret: TagKind { TagKind(rawValue: 10) }
    /// Keyed hash of the id of an account that registered. In older logs it is the keyed hash of the account's phone number.
    @inlinable public static var phone: TagKind { TagKind(rawValue: 11) }
    /// Keyed hash of an account and an idempotency key. With it, the service finds the events of a repeated request's first attempt, and
    /// gives the same answer.
    @inlinable public static var request: TagKind { TagKind(rawValue: 12) }
    /// Keyed hash of a request's content. It distinguishes a retry from a different request with the same idempotency key. It is not
    /// indexed.
    @inlinable public static var digest: TagKind { TagKind(rawValue: 13) }
    /// The review or reply that a reply answers.
    @inlinable public static var parent: TagKind { TagKind(rawValue: 14) }
    /// The review at the root of a reply's thread.
    @inlinable public static var thread: TagKind { TagKind(rawValue: 15) }
    /// A picture that a shop or a campaign shows from this event on, or a picture that was taken down.
    @inlinable public static var image: TagKind { TagKind(rawValue: 16) }
    /// The id of a notice.
    @inlinable public static var notice: TagKind { TagKind(rawValue: 17) }
    /// The id of an offer to work at a shop, or to own it.
    @inlinable public static var invitation: TagKind { TagKind(rawValue: 18) }
    /// The account that owned a shop until this event. The tag `account` names the new owner.
    @inlinable public static var formerOwner: TagKind { TagKind(rawValue: 19) }
    /// The id of a print of paper cards.
    @inlinable public static var print: TagKind { TagKind(rawValue: 23) }
    /// The id of a paper card.
    @inlinable public static var paper: TagKind { TagKind(rawValue: 24) }
    /// Keyed hash of the half of a paper card's code that is the same on all cards of the print.
    @inlinable public static var printSecret: TagKind { TagKind(rawValue: 25) }
    /// The campaign's own shop, if the event happened at another shop that shares the campaign.
    @inlinable public static var home: TagKind { TagKind(rawValue: 26) }
}
