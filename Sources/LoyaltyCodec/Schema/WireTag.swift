public import EventLog
internal import Loyalty

/// The closed list of the kinds of tags.
///
/// The digest of a request is a tag but not indexed, so that the most frequent event, a stamp, needs no payload.
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
    /// The former owner has a tag of another kind, because an event names one account.
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

    var isIndexed: Bool { self != .digest }

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
        case .image: Image.idPrefix
        case .notice: Notice.idPrefix
        case .invitation: Invitation.idPrefix
        case .print: PaperPrint.idPrefix
        case .paper: Paper.idPrefix
        case .codeSecret, .redemptionSecret, .printSecret, .phone, .request, .digest: nil
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
    /// Tells a retry from a different request with the same idempotency key. Not indexed.
    @inlinable public static var digest: TagKind { TagKind(rawValue: 13) }
    @inlinable public static var parent: TagKind { TagKind(rawValue: 14) }
    @inlinable public static var thread: TagKind { TagKind(rawValue: 15) }
    /// Shown from this event on, or taken down.
    @inlinable public static var image: TagKind { TagKind(rawValue: 16) }
    @inlinable public static var notice: TagKind { TagKind(rawValue: 17) }
    @inlinable public static var invitation: TagKind { TagKind(rawValue: 18) }
    /// The shop's owner until this event.
    @inlinable public static var formerOwner: TagKind { TagKind(rawValue: 19) }
    @inlinable public static var print: TagKind { TagKind(rawValue: 23) }
    @inlinable public static var paper: TagKind { TagKind(rawValue: 24) }
    @inlinable public static var printSecret: TagKind { TagKind(rawValue: 25) }
    /// The campaign's own shop, if the event happened at another shop.
    @inlinable public static var home: TagKind { TagKind(rawValue: 26) }
}
