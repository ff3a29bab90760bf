public import EventLog
public import Loyalty
import LoyaltyCodec
public import ReadModels

/// A page of events at a shop, newest first.
public struct ShopActs {
    public let facts: [Fact]
    /// The `before` of the next page; nil at the end.
    public let next: Position?
}

/// A range of days in a time zone.
public struct ShopDays: Sendable {
    /// Counted from 1970-01-01, both ends included.
    public let days: ClosedRange<Int>
    public let zone: ReportZone

    public init(_ days: ClosedRange<Int>, in zone: ReportZone) { (self.days, self.zone) = (days, zone) }
}

extension LogPast {
    /// The events of some types at a shop, newest first, with bounded work per page. A page may be short and still not be the last.
    ///
    /// An import writes old events after newer ones, so only ``Limits/shopActOldStepsMax`` consecutive steps of too old events end the
    /// list.
    ///
    /// - Parameter keeps: called for at most ``Limits/shopActsAskedMax`` events.
    public func acts(
        _ types: [EventType], at shop: ShopID, on days: ShopDays?, before: Position?, limit: Int, where keeps: (Fact) throws -> Bool
    ) throws -> ShopActs {
        let query = Query.items([QueryItem(types: types, tags: [Tag(kind: .shop, value: shop.value)])])
        return try acts(matching: query, on: days, before: before, limit: limit, where: keeps)
    }

    /// - Parameters:
    ///   - places: positions outside of which no such event is.
    ///   - askedMax: the number of events for which `keeps` is called at most.
    public func acts(
        matching query: Query, on days: ShopDays?, within places: ClosedRange<UInt64> = 1...UInt64.max, before: Position?, limit: Int,
        askedMax: Int = Limits.shopActsAskedMax, where keeps: (Fact) throws -> Bool
    ) throws -> ShopActs {
        let last = min(bound ?? source.head, Position(places.upperBound))
        var through = min(before.map { Position($0.rawValue - min($0.rawValue, 1)) } ?? last, last)
        var (found, asked, oldSteps): ([Fact], Int, Int) = ([], 0, 0)
        for _ in 0..<Limits.shopActStepsMax {
            let step = try source.events(matching: query, through: through, backwards: true, limit: Limits.shopActsPerStep)
                .map { try LoyaltyCodec.decode($0) }
            var isTooOld = days != nil
            for fact in step {
                let day = days?.zone.day(of: fact.time)
                if let day, let days, day >= days.days.lowerBound { isTooOld = false }
                if let day, let days, !days.days.contains(day) { continue }
                if try keeps(fact) { found.append(fact) }
                asked += 1
                if found.count == limit || asked == askedMax { return ShopActs(facts: found, next: Position(fact.position)) }
            }
            oldSteps = isTooOld ? oldSteps + 1 : 0
            // If the days' beginning is known, too old events between them end nothing.
            let goesOn = oldSteps < Limits.shopActOldStepsMax || places.lowerBound > 1
            guard let oldest = step.last, step.count == Limits.shopActsPerStep, goesOn, oldest.position > places.lowerBound else {
                return ShopActs(facts: found, next: nil)
            }
            through = Position(oldest.position - 1)
        }
        return ShopActs(facts: found, next: Position(through.rawValue + 1))
    }

    /// The open codes that one member of staff issued, newest first.
    package func openCodes(of issuer: AccountID, at shop: ShopID, now: Instant) throws -> [CodeID] {
        guard let known = try self.shop(shop) else { return [] }
        var (codes, homes): ([CodeID], [ShopID: Shop]) = ([], [:])
        try forEachUnexpiredCode(at: shop, now: now) { issued, by in
            guard by == issuer, let code = try code(issued) else { return }
            if code.status(at: now, of: known, home: try home(of: code, &homes)) == .open { codes.append(code.id) }
        }
        return codes
    }

    /// The number of open codes of each member of staff, among the newest codes only.
    public func openCodeCounts(at shop: Shop, now: Instant) throws -> [AccountID: Int] {
        var (counts, homes): ([AccountID: Int], [ShopID: Shop]) = ([:], [:])
        try forEachUnexpiredCode(at: shop.id, now: now, limit: Limits.staffCodesReadMax) { issued, by in
            guard let code = try code(issued) else { return }
            if code.status(at: now, of: shop, home: try home(of: code, &homes)) == .open { counts[by, default: 0] += 1 }
        }
        return counts
    }

    /// Calls `body` with the shop's unexpired codes and their issuers, newest first.
    ///
    /// Ends after ``Limits/shopActOldStepsMax`` consecutive pages of too old codes; a single one may be an import's.
    ///
    /// - Parameter limit: codes to read, without too old ones.
    private func forEachUnexpiredCode(
        at shop: ShopID, now: Instant, limit: Int = .max, _ body: (_ code: CodeID, _ issuer: AccountID) throws -> Void
    ) throws {
        let longest = Int64(Loyalty.Limits.codeValiditySeconds.upperBound) + Loyalty.Limits.clockLeadSeconds
        let oldest = now.advanced(bySeconds: -longest)
        var (before, oldPages, left): (Position?, Int, Int) = (nil, 0, limit)
        repeat {
            let page = try acts([.codeIssued], at: shop, on: nil, before: before, limit: Limits.shopActsPerStep) { _ in true }
            oldPages += 1
            for fact in page.facts {
                if fact.time > oldest {
                    guard left > 0 else { return }
                    (left, oldPages) = (left - 1, 0)
                }
                if case .codeIssued(let event) = fact.event, now < event.expiresAt { try body(event.code, fact.actor) }
            }
            before = page.next
        } while before != nil && oldPages < Limits.shopActOldStepsMax
    }

    private func home(of code: Code, _ known: inout [ShopID: Shop]) throws -> Shop? {
        guard let id = code.home else { return nil }
        if known[id] == nil { known[id] = try shop(id) }
        return known[id]
    }
}
