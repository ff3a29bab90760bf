/// A bounded pool that many clients share: slots, bytes, waiting jobs or kept answers.
///
/// Beyond its shares (``PoolTerms``), and in a full pool, a newcomer displaces an entry of the largest client, unless it would then hold as
/// much. So a client's least depends on the number of clients, not on their greed. Entries that are too slow (``Pace``) go first.
///
/// The owner keeps the value in a `Mutex`, and ends what was displaced outside the lock. A full pool decides in time proportional to its
/// entries.
package struct SharedPool<Value> {
    package typealias ID = UInt64

    fileprivate struct Entry {
        let share: PoolShare
        var amount: Int
        var value: Value
        var pace: Pace
        /// Increases with each addition and use.
        var order: ID
    }

    private enum Group: Hashable {
        case site(PoolShare.Address?)
        case address(PoolShare.Address?)
        case account(UInt128)
    }

    package let terms: PoolTerms
    private var entries: [ID: Entry] = [:]
    private var held: [Group: Int] = [:]
    private var lastID: ID = 0
    /// The turn in which ``next()`` last served each client that has entries.
    private var served: [Group: ID] = [:]
    private var lastTurn: ID = 0

    package private(set) var taken = 0
    package var count: Int { entries.count }
    package var values: some Sequence<Value> { entries.values.lazy.map(\.value) }

    package init(_ terms: PoolTerms) { self.terms = terms }

    package subscript(id: ID) -> Value? { entries[id]?.value }

    /// - Parameter now: microseconds of a steady clock.
    /// - Returns: the entry's id, and the displaced values; nil if there is no room.
    package mutating func add(_ value: Value, amount: Int = 1, of share: PoolShare, at now: Int64 = 0) -> (id: ID, displaced: [Value])? {
        guard let displaced = makeRoom(for: amount, of: share, sparing: nil, at: now) else { return nil }
        lastID += 1
        entries[lastID] = Entry(share: share, amount: amount, value: value, pace: Pace(at: now, window: terms.window), order: lastID)
        hold(amount, for: share)
        return (lastID, displaced)
    }

    /// - Returns: the displaced values; nil if there is no room, or the entry was displaced.
    package mutating func grow(_ id: ID, by amount: Int, at now: Int64) -> [Value]? {
        guard let share = entries[id]?.share, let displaced = makeRoom(for: amount, of: share, sparing: id, at: now) else { return nil }
        entries[id]?.amount += amount
        hold(amount, for: share)
        return displaced
    }

    /// Does nothing if the entry was displaced.
    package mutating func shrink(_ id: ID, by amount: Int) {
        guard let entry = entries[id] else { return }
        entries[id]?.amount -= amount
        hold(-amount, for: entry.share)
    }

    /// Nil if the entry was displaced or removed before.
    @discardableResult
    package mutating func remove(_ id: ID) -> Value? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        hold(-entry.amount, for: entry.share)
        return entry.value
    }

    /// Oldest first.
    package mutating func removeAll(where isRemoved: (Value) -> Bool) -> [Value] {
        ordered.filter { isRemoved($0.value.value) }.compactMap { remove($0.key) }
    }

    /// Keeps the entry from being displaced as too slow.
    package mutating func progress(_ id: ID, units: Int, at now: Int64) {
        guard let perSecond = terms.perSecond else { return }
        entries[id]?.pace.credit(units, perSecond: perSecond, at: now)
    }

    /// Makes an entry the newest one.
    package mutating func use(_ id: ID) {
        lastID += 1
        entries[id]?.order = lastID
    }

    /// The next entry by turns of addresses, and of the accounts of an address, so that nobody waits for somebody else's long queue.
    package mutating func next(where isFit: (Value) -> Bool = { _ in true }) -> Value? {
        let fit = entries.filter { isFit($0.value.value) }
        guard let id = fit.min(by: { rank($0.value) < rank($1.value) })?.key, let entry = entries[id] else { return nil }
        lastTurn += 1
        for group in groups(of: entry.share) { served[group] = lastTurn }
        remove(id)
        // Forgets clients without entries, except recently served ones.
        if served.count > 4 * terms.capacity { served = served.filter { held[$0.key] != nil } }
        return entry.value
    }

    /// The number of entries before the one that satisfies a condition.
    package func countBefore(_ isWanted: (Value) -> Bool) -> Int {
        guard let wanted = entries.values.first(where: { isWanted($0.value) }).map(rank) else { return 0 }
        return entries.values.count { rank($0) < wanted }
    }

    private func rank(_ entry: Entry) -> (ID, ID, ID) {
        (served[.site(entry.share.site)] ?? 0, entry.share.account.flatMap { served[.account($0)] } ?? 0, entry.order)
    }

    private var ordered: [(key: ID, value: Entry)] { entries.sorted { $0.value.order < $1.value.order } }
}

extension SharedPool: Sendable where Value: Sendable {}
extension SharedPool.Entry: Sendable where Value: Sendable {}

// MARK: Room

extension SharedPool {
    /// A limit that an addition may exceed, the narrowest first.
    private enum Level: CaseIterable {
        case account, address, site, pool
    }

    private func groups(of share: PoolShare) -> [Group] {
        [.site(share.site), share.network == nil ? nil : .address(share.address), share.account.map { .account($0) }].compactMap(\.self)
    }

    private mutating func hold(_ amount: Int, for share: PoolShare) {
        taken += amount
        for group in groups(of: share) {
            let left = held[group, default: 0] + amount
            held[group] = left > 0 ? left : nil
        }
    }

    private func isFull(_ level: Level, for amount: Int, of share: PoolShare) -> Bool {
        func exceeds(_ group: Group, _ most: Int?) -> Bool { most.map { held[group, default: 0] + amount > $0 } ?? false }
        return switch level {
        case .account: share.account.map { exceeds(.account($0), terms.perAccount) } ?? false
        case .address: share.network != nil && exceeds(.address(share.address), terms.perAddress)
        case .site: exceeds(.site(share.site), share.network == nil ? terms.perAddress : terms.perNetwork)
        case .pool: taken + amount > terms.capacity
        }
    }

    /// Changes nothing if the amount cannot fit.
    private mutating func makeRoom(for amount: Int, of share: PoolShare, sparing own: ID?, at now: Int64) -> [Value]? {
        var removed: [(id: ID, entry: Entry)] = []
        while let level = Level.allCases.first(where: { isFull($0, for: amount, of: share) }) {
            guard let id = victim(at: level, for: amount, of: share, sparing: own, at: now), let entry = entries[id] else {
                for (id, entry) in removed {
                    entries[id] = entry
                    hold(entry.amount, for: entry.share)
                }
                return nil
            }
            remove(id)
            removed.append((id, entry))
        }
        return removed.map(\.entry.value)
    }

    private func victim(at level: Level, for amount: Int, of share: PoolShare, sparing own: ID?, at now: Int64) -> ID? {
        guard terms.displaced != .nobody else { return nil }
        let candidates = entries.filter { id, entry in
            guard id != own else { return false }
            return switch level {
            case .account: entry.share.account == share.account
            case .address: entry.share.address == share.address
            case .site: entry.share.site == share.site
            case .pool: true
            }
        }
        if terms.perSecond != nil, let late = first(of: candidates), late.value.pace.isLate(at: now) { return late.key }
        let wanted = amount + (own.flatMap { entries[$0]?.amount } ?? 0)
        switch level {
        case .account: return terms.displaced == .oldest ? first(of: candidates)?.key : nil
        case .address, .site: return ofAccounts(candidates, for: share, wanted)
        case .pool:
            let mine = held[.site(share.site), default: 0] + amount
            guard let most = candidates.values.map({ held[.site($0.share.site), default: 0] }).max() else { return nil }
            guard most > mine || terms.displaced == .oldest && most == mine else {
                let near = candidates.filter { $0.value.share.site == share.site }
                return ofAccounts(near.isEmpty && terms.displaced == .oldest ? candidates : near, for: share, wanted)
            }
            // Among equal sites, the one whose entry goes first.
            let largest = candidates.filter { held[.site($0.value.share.site), default: 0] == most }
            guard let site = first(of: largest)?.value.share.site else { return nil }
            return ofAccounts(candidates.filter { $0.value.share.site == site }, for: nil, 0)
        }
    }

    /// The first entry of the largest account. One without an account goes only if it is twice as large as the newcomer, so that equal
    /// entries do not displace each other for ever.
    ///
    /// - Parameter share: the newcomer, whose account must not hold as much afterwards; nil for one from elsewhere.
    private func ofAccounts(_ candidates: [ID: Entry], for share: PoolShare?, _ wanted: Int) -> ID? {
        func amount(_ entry: Entry) -> Int { entry.share.account.flatMap { held[.account($0)] } ?? entry.amount }
        guard let most = candidates.values.map(amount).max() else { return nil }
        if let share {
            let mine = share.account.map { held[.account($0), default: 0] + wanted } ?? wanted
            if terms.displaced == .oldest, mine > most {
                let own = candidates.filter { $0.value.share.account == share.account }
                return first(of: own.isEmpty ? candidates : own)?.key
            }
            guard most > (share.account == nil ? 2 * mine - 1 : mine) || terms.displaced == .oldest else { return nil }
        }
        return first(of: candidates.filter { amount($0.value) == most })?.key
    }

    private func first(of candidates: [ID: Entry]) -> (key: ID, value: Entry)? {
        switch terms.displaced {
        case .slowest: candidates.min { ($0.value.pace.dueAt, $0.value.order) < ($1.value.pace.dueAt, $1.value.order) }
        case .newest: candidates.max { $0.value.order < $1.value.order }
        case .oldest, .nobody: candidates.min { $0.value.order < $1.value.order }
        }
    }
}
