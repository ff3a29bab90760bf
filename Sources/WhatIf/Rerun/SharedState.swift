internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// The state that programme rules do not affect: accounts, shops with staff, recorded campaigns, and prints. Both runs share it, on one
/// thread.
final class SharedState {
    /// Registered and not erased.
    private(set) var accounts: Set<AccountID> = []
    /// Customers who got stamps at a counter, perhaps before they registered.
    private(set) var waiting: Set<AccountID> = []
    /// Unregistered customers whose cards other accounts took over.
    private(set) var gone: Set<AccountID> = []
    /// The events of accounts are not read.
    let knowsEveryone: Bool
    private(set) var shops: [ShopID: Shop] = [:]
    private(set) var campaigns: [CampaignID: Campaign] = [:]
    private(set) var prints: [PrintID: PaperPrint] = [:]

    init(knowsEveryone: Bool = false) { self.knowsEveryone = knowsEveryone }

    /// Whether decisions may treat an account as existing.
    func knows(_ account: AccountID) -> Bool {
        !gone.contains(account) && (knowsEveryone || accounts.contains(account) || waiting.contains(account))
    }

    func isWaiting(_ customer: AccountID) -> Bool { waiting.contains(customer) && !accounts.contains(customer) }

    /// Decisions treat the customer as an account, even before the registration.
    func wait(for customer: AccountID) { waiting.insert(customer) }

    /// After a crash, other cards may still wait, and somebody may register with the number.
    func leave(_ customer: AccountID) { gone.insert(customer) }

    func apply(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event):
            accounts.insert(event.account)
            gone.remove(event.account)
        case .accountErased(let event): accounts.remove(event.account)
        default:
            shops.apply(fact)
            campaigns.apply(fact)
            prints.apply(fact)
        }
    }
}

struct Holding: Hashable {
    let holder: AccountID
    let campaign: CampaignID
}

/// An account's cards of one campaign, as places in the order of all openings, and its latest stamps.
struct HeldCards {
    private(set) var cards: [Int] = []
    /// The card opened first, even after another account took it over.
    private(set) var first: Int?
    /// Used and not reversed.
    var codes = 0
    /// The last days' stamps that were not taken back.
    private(set) var gains = StampGains()

    mutating func open(_ place: Int) {
        first = first ?? place
        cards.append(place)
    }

    mutating func lose(_ place: Int) { cards.removeAll { $0 == place } }

    mutating func gain(_ place: Int, codes: Int, _ gain: StampGains.Gain, keptSince oldest: Instant) {
        cards.insert(place, at: cards.firstIndex { $0 > place } ?? cards.endIndex)
        self.codes += codes
        add(gain, keptSince: oldest)
    }

    mutating func add(_ gain: StampGains.Gain, keptSince oldest: Instant) {
        if let first = gains.newest.first, first.at < oldest { gains = StampGains(gains.newest.filter { $0.at >= oldest }) }
        gains.add(gain)
    }

    /// - Parameter isLast: whether this event first leaves nothing of the code.
    mutating func reverse(_ event: StampReversed, isLast: Bool) {
        if isLast { codes -= 1 }
        gains.limit(event.code, to: event.left)
    }
}

struct UsedCode {
    var code: Code
    let at: Instant
    var uses: [CodeUse] = []
}

/// Ids of objects that history does not have, derived so that every run gives the same ones. They practically never equal an id in history.
enum DerivedID {
    /// An odd factor makes the multiplication a bijection.
    private static let factor: UInt128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
    private static let cardSalt: UInt128 = 0xD6E8_FEB8_6659_FD93_A5A3_5625_1F2B_8C41
    private static let redemptionSalt: UInt128 = 0xC2B2_AE3D_27D4_EB4F_1656_67B1_9E37_79F9

    static func card(for code: CodeID) -> CardID { CardID((code.value ^ cardSalt) &* factor) }

    /// The redemption's secret has the same value as the id.
    static func redemption(_ number: Int) -> RedemptionID { RedemptionID((UInt128(number) ^ redemptionSalt) &* factor) }
}
