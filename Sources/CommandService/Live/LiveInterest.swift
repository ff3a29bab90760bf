import EventLog
import Loyalty

/// Which events an account's streams show, and since when: a pure fold of its own past.
///
/// An account sees what happens to its own cards, and notices that are for it; whoever works at a shop also sees its codes and
/// its redemptions. A shop counts from the event on that made it count, until whoever worked there works there no more; a stream that is
/// resumed after that leaves the shop's earlier events out.
struct LiveInterest: Hashable, Sendable {
    let account: AccountID
    /// Position of the registration; 0 where it is not known yet.
    private(set) var registered: UInt64 = 0
    /// Shops where the account works, with the position since when.
    private(set) var workplaces: [ShopID: UInt64] = [:]
    /// Shops where it has had a card, with the position of the first.
    private(set) var shops: [ShopID: UInt64] = [:]
    /// When it had muted a shop.
    private(set) var mutes: [ShopID: MutedStretches] = [:]

    init(of account: AccountID) {
        self.account = account
    }

    /// Takes in what changes the interest. Facts MUST come in order; one that comes twice changes nothing.
    mutating func note(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event) where event.account == account: registered = fact.position
        case .shopOpened(let event) where event.owner == account: begin(&workplaces, event.shop, fact)
        case .staffAdded(let event) where event.account == account: begin(&workplaces, event.shop, fact)
        case .staffRemoved(let event) where event.account == account: workplaces[event.shop] = nil
        case .staffJoined(let event) where event.account == account: begin(&workplaces, event.shop, fact)
        case .employmentEnded(let event) where event.account == account: workplaces[event.shop] = nil
        case .shopMuted(let event) where event.account == account:
            mutes[event.shop, default: MutedStretches()].mute(at: fact.position)
        case .shopUnmuted(let event) where event.account == account: mutes[event.shop]?.unmute(at: fact.position)
        case .cardOpened(let event) where event.holder == account: begin(&shops, event.shop, fact)
        default: break
        }
    }

    /// Whether the account's streams show an event.
    func wants(_ fact: Fact) -> Bool {
        if fact.event.holder == account { return true }
        switch fact.event {
        case .codeIssued, .codeDestroyed, .cardStamped, .cardRedeemed, .redemptionReversed:
            return fact.event.shop.flatMap { workplaces[$0] }.map { $0 < fact.position } ?? false
        case .noticePosted(let event):
            guard let shop = event.audience.shop else { return registered < fact.position }
            return shops[shop].map { $0 < fact.position && mutes[shop]?.contains(fact.position) != true } ?? false
        default:
            return false
        }
    }

    private func begin(_ places: inout [ShopID: UInt64], _ shop: ShopID, _ fact: Fact) {
        if places[shop] == nil { places[shop] = fact.position }
    }
}
