internal import EventLog
internal import Loyalty

/// The kinds of tag by number, as one closed list, and what the value of each is.
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

    init?(_ kind: TagKind) {
        self.init(rawValue: kind.rawValue)
    }

    init?(name: some StringProtocol) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    var kind: TagKind { TagKind(rawValue: rawValue) }

    /// The name under which the log interns the number, and by which tools and people call it.
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
        }
    }

    /// A request's digest is compared, never looked up.
    var isIndexed: Bool { self != .digest }

    /// The TypeID prefix of the values, or nil where they are keyed hashes.
    var idPrefix: String? {
        switch self {
        case .account: Account.idPrefix
        case .shop: Shop.idPrefix
        case .campaign: Campaign.idPrefix
        case .code: Code.idPrefix
        case .card: Card.idPrefix
        case .redemption: Redemption.idPrefix
        case .review, .parent, .thread: Review.idPrefix
        case .session: Session.idPrefix
        case .image: Image.idPrefix
        case .notice: Notice.idPrefix
        case .invitation: Invitation.idPrefix
        case .codeSecret, .redemptionSecret, .phone, .request, .digest: nil
        }
    }
}
