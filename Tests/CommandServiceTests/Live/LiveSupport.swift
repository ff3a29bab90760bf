import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// Reads a stream until it has returned `count` events.
func collect(_ count: Int, from stream: LiveStream) async throws -> [Fact] {
    var facts: [Fact] = []
    while facts.count < count {
        switch try await stream.next() {
        case .events(let more): facts += more
        case .beat: continue
        case .ended(let reason): throw TestFailure("ended: \(reason), after \(facts.count) of \(count)")
        }
    }
    return facts
}

/// Reads a stream up to and including the first notice to everyone.
func collect(untilNoticeFrom stream: LiveStream) async throws -> [Fact] {
    var facts: [Fact] = []
    while true {
        switch try await stream.next() {
        case .events(let more):
            facts += more
            if more.contains(where: { $0.event.isNoticeToAll }) { return facts }
        case .beat: continue
        case .ended(let reason): throw TestFailure("ended: \(reason), after \(facts.count) events and no notice to everyone")
        }
    }
}

extension LoyaltyEvent {
    var isNoticeToAll: Bool {
        guard case .noticePosted(let event) = self else { return false }
        return event.audience == .all
    }
}

extension LiveHub {
    /// Opens a stream whose token outlives the test.
    func open(for account: AccountID, after: Position? = nil) throws -> LiveStream {
        try open(for: account, session: SessionID(1), until: HandClock.start.advanced(bySeconds: 86_400), after: after)
    }
}

/// Returns all events of the log.
func facts(of service: GreenTea) throws -> [Fact] {
    try service.log.events(matching: .all).map { try LoyaltyCodec.decode($0) }
}

/// Returns the events that an account's streams must show. It follows the rules in the simplest way: one pass over the log that tracks the
/// account's roles.
func shown(to account: AccountID, of facts: [Fact]) -> [Fact] {
    var (isRegistered, ownShops, visited): (Bool, Set<ShopID>, Set<ShopID>) = (false, [], [])
    var held: [CardID: CampaignID] = [:]
    return facts.filter { fact in
        switch fact.event {
        case .accountRegistered(let event):
            if event.account == account { isRegistered = true }
            return false
        case .shopOpened(let event):
            if event.owner == account { ownShops.insert(event.shop) }
            return false
        case .cardOpened(let event):
            if event.holder == account {
                visited.insert(event.shop)
                held[event.card] = event.campaign
            }
            return event.holder == account
        case .cardStamped(let event): return event.holder == account || ownShops.contains(event.shop)
        case .cardRedeemed(let event):
            held[event.card] = nil
            return event.holder == account || ownShops.contains(event.shop)
        case .cardDiscarded(let event):
            held[event.card] = nil
            return event.holder == account
        case .redemptionRequested(let event): return event.holder == account
        case .codeIssued(let event): return ownShops.contains(event.shop)
        case .codeDestroyed(let event): return ownShops.contains(event.shop)
        case .noticePosted(let event):
            if let campaign = event.audience.campaign { return held.values.contains(campaign) }
            return event.audience.shop.map(visited.contains) ?? isRegistered
        default: return false
        }
    }
}

/// A day at two shops: cards are opened, filled and redeemed, and notices are posted.
struct BusyDay {
    let shops: [TeaShop]
    let guests: [Caller]

    var everybody: [AccountID] { shops.map(\.owner.account) + guests.map(\.account) }

    init(shops: [TeaShop], guests: [Caller]) {
        (self.shops, self.guests) = (shops, guests)
    }

    init(on service: GreenTea, guests: Int) async throws {
        var (shops, callers): ([TeaShop], [Caller]) = ([], [])
        for number in 1...2 { shops.append(try await TeaShop.open(on: service, goal: 3, number: number)) }
        for number in 1...guests { callers.append(try await customer(number, on: service)) }
        (self.shops, self.guests) = (shops, callers)
    }

    /// Performs a guest's visit; now and then the shop posts a notice to its customers.
    func visit(_ number: Int, of guest: Caller, on service: GreenTea) async throws {
        let shop = shops[number % shops.count]
        let accepted = try await service.stamp(try await shop.code(on: service, stamps: 1 + number % 4), by: guest)
        if let full = accepted.cards.first(where: { $0.status == .full }) {
            let code = try await shop.redemptionCode(of: full.id, by: guest, on: service)
            if number.isMultiple(of: 3) { _ = try await service.redeem(code, by: shop.owner) }
        }
        if number.isMultiple(of: 7) {
            _ = try await service.postNotice(title: "News", text: "\(number)", to: .shop(shop.shop), by: shop.owner)
        }
    }

    func tellAll(on service: GreenTea) async throws {
        _ = try await service.postNotice(title: "All", text: "done", to: .all, by: guests[0])
    }
}
