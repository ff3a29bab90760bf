import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Projections

/// The accounts, shops and pictures that one piece of the log erases.
struct FollowedErasures {
    let end: Position
    private(set) var erased: [AccountID] = []
    private(set) var closed: [ShopID] = []
    /// Unregistered people of whom an account has taken a card or an offer of work.
    private(set) var left: Set<AccountID> = []
    private(set) var takenDown: Set<ImageID> = []

    private static let wanted = TypeFilter([.accountErased, .shopClosed, .waitingCardTaken, .waitingOfferTaken, .imageTakenDown])

    init(_ log: EventLog, after start: Position) throws {
        end = Position(min(log.head.rawValue, start.rawValue + Limits.followedEventsMax))
        var offers: [InvitationID] = []
        try log.scan(after: start, through: end) { position, record in
            guard Self.wanted.contains(record.type) else { return true }
            switch try LoyaltyCodec.decode(record, at: position).event {
            case .accountErased(let event): erased.append(event.account)
            case .shopClosed(let event): if event.erasesContact { closed.append(event.shop) }
            case .waitingCardTaken(let event): if let from = event.from { left.insert(from) }
            case .waitingOfferTaken(let event): offers.append(event.invitation)
            case .imageTakenDown(let event): takenDown.insert(event.image)
            default: break
            }
            return true
        }
        let past = LogPast(log)
        for offer in offers {
            for fact in try past.facts([.staffInvited], Tag(kind: .invitation, value: offer.value)) {
                if case .staffInvited(let event) = fact.event { left.insert(event.account) }
            }
        }
    }
}

/// The accounts, shops and pictures for which one piece of the log needs more than the log.
struct FollowedNeeds {
    let end: Position
    /// Accounts and shops that the writer may have made a key for.
    private(set) var holders: Set<AccountID> = []
    /// Accounts that have got a number, or whose number or requested number changed.
    private(set) var moved: Set<AccountID> = []
    private(set) var pictures: Set<ImageID> = []
    /// The newest of each account.
    private(set) var avatars: [AccountID: Sealed] = [:]

    private static let shops: Set<EventType> = [
        .shopOpened, .shopEdited, .shopSuspended, .shopReinstated, .shopClosed, .campaignPublished, .campaignEdited, .paperStampReversed,
        .staffLabeled,
    ]
    private static let phones: Set<EventType> = [.phoneChanged, .phoneChangeRequested, .phoneChangeEnded]
    private static let wanted = TypeFilter(shops.union(phones).union([.accountRegistered, .cardOpened, .profileEdited, .staffInvited]))

    init(_ log: EventLog, after start: Position, through last: Position) throws {
        end = Position(min(last.rawValue, start.rawValue + Limits.followedEventsMax))
        try log.scan(after: start, through: end) { position, record in
            if Self.wanted.contains(record.type) { add(try LoyaltyCodec.decode(record, at: position).event, record.type) }
            return true
        }
    }

    /// The accounts and shops for which events need keys that the log does not have yet.
    static func holders(in entries: [Entry]) -> Set<AccountID> {
        var needs = FollowedNeeds()
        for entry in entries {
            entry.eachRecord { position, record in
                // An event that cannot be read is refused when it is adopted.
                guard wanted.contains(record.type), let fact = try? LoyaltyCodec.decode(record, at: position) else { return }
                needs.add(fact.event, record.type)
            }
        }
        return needs.holders
    }

    private init() { end = .start }

    private mutating func add(_ event: LoyaltyEvent, _ type: EventType) {
        switch event {
        case .accountRegistered(let event):
            holders.insert(event.account)
            moved.insert(event.account)
        // The holder may be unregistered.
        case .cardOpened(let event): holders.insert(event.holder)
        case .staffInvited(let event): holders.insert(event.account)
        case .profileEdited(let event): if case .set(let avatar) = event.change.avatar { avatars[event.account] = avatar }
        case .phoneChanged(let event): moved.insert(event.account)
        case .phoneChangeRequested(let event): moved.insert(event.account)
        case .phoneChangeEnded(let event): moved.insert(event.account)
        default:
            pictures.formUnion(event.namedImages)
            if Self.shops.contains(type), let shop = event.shop { holders.insert(shop.keyHolder) }
        }
    }
}
