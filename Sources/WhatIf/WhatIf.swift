public import Audit
public import EventLog
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// Replays recorded history under changed programme rules, to show what would have happened. The log is only read.
///
/// Each recorded command about codes and cards, except stamps on paper cards, is decided again by the service's pure decisions: once under
/// the recorded rules, to check that the decisions equal history, and once under the changed rules.
///
/// - A stamp for which a full card has no room opens the next card. A card keeps the goal it was opened with.
/// - A code's worth and validity are fixed when it is issued.
/// - A command applies to the recorded card if it has the recorded state, and otherwise to the holder's collecting or oldest full card.
/// - Redemptions: see ``RedemptionMoment``.
/// - A rejected command is counted with its reason, as are commands that depend on it; no command is retried.
/// - Attempts that the service rejected are not in the log, so more generous rules affect only accepted commands.
///
/// Memory grows with the numbers of accounts, shops, campaigns, cards, paper cards, unused codes and reversals.
public struct WhatIf: Sendable {
    private static let reportEvery: UInt64 = 16_384

    private let rules: ProgrammeRules
    private let prices: Prices
    private let from: ReplayBound?
    private let to: ReplayBound

    /// - Parameters:
    ///   - from: the moment from which the changed rules apply and figures are reported; nil for all of history.
    ///   - to: the last moment to read. A command that spans this moment is read completely.
    public init(_ rules: ProgrammeRules, prices: Prices = Prices(), from: ReplayBound? = nil, to: ReplayBound = .head) {
        (self.rules, self.prices, self.from, self.to) = (rules, prices, from, to)
    }

    /// Runs a log's history again.
    ///
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``; ``AuditError/Code/input`` if the rules or prices name a shop or
    ///   campaign that the log does not have.
    public func run(on log: EventLog, progress: (Position) -> Void = { _ in }) throws(AuditError) -> WhatIfReport {
        var rerun = Rerun(rules, prices)
        let end = try walk(log, &rerun, progress)
        try checkNames(rerun.shared)
        // The replay makes no decisions, so it is an independent check.
        let replay = try Replay(of: log, until: .position(end), models: [CardProgress.name])
        let witness = StateDigest(of: replay).models.first
        return WhatIfReport(rerun, rules, prices, rerun.recorded.check(replayDigest: witness?.hex ?? ""), end)
    }

    /// Reads the log and re-runs its commands. Returns the last position read.
    func walk(_ log: EventLog, _ rerun: inout Rerun, _ progress: (Position) -> Void) throws(AuditError) -> Position {
        let wanted = TypeFilter(Rerun.eventTypes)
        var (end, hasBegun) = (Position.start, from == nil)
        if hasBegun { rerun.begin() }
        do {
            try log.scan { (position, record) in
                if rerun.isBetweenCommands {
                    if to.isPassed(at: position, record.time) { return false }
                    if !hasBegun, let from, from.isReached(at: position, record.time) {
                        hasBegun = true
                        rerun.begin()
                    }
                }
                end = position
                if wanted.contains(record.type) { try rerun.apply(try LoyaltyCodec.decode(record, at: position)) }
                if position.rawValue % Self.reportEvery == 0 { progress(position) }
                return true
            }
            try rerun.finish()
        } catch {
            throw AuditError(any: error)
        }
        progress(end)
        return end
    }

    private func checkNames(_ shared: SharedState) throws(AuditError) {
        let campaigns = rules.campaigns.union(prices.byCampaign.keys).filter { shared.campaigns[$0] == nil }
        let shops = rules.shops.union(rules.shopTimeZones.keys).filter { shared.shops[$0] == nil }
        guard let name = (campaigns.map(\.text) + shops.map(\.text)).min() else { return }
        throw AuditError(.input, "the log has no \(name), which the rules or prices name.", remedy: "Correct the id, or leave it out.")
    }
}

extension ReplayBound {
    /// Parses also a day, which begins at midnight UTC (`2026-11-21`).
    public init?(textOrDay text: String) {
        guard let bound = Self(text: text) ?? Self(text: text + "T00:00:00Z") else { return nil }
        self = bound
    }

    /// Whether an event is at or after this moment.
    fileprivate func isReached(at position: Position, _ time: Timestamp) -> Bool {
        switch self {
        case .head: false
        case .position(let bound): position >= bound
        case .time(let bound): time >= bound
        }
    }

    /// Whether an event is after this moment.
    fileprivate func isPassed(at position: Position, _ time: Timestamp) -> Bool {
        switch self {
        case .head: false
        case .position(let bound): position > bound
        case .time(let bound): time > bound
        }
    }
}
