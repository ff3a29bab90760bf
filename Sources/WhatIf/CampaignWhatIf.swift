public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec

/// Replays one campaign's history under changed rules, from the events of that campaign and its shops alone.
///
/// The answer is the same as that of ``WhatIf`` with rules that cover only this campaign. The cost depends on the length of the campaign's
/// history and not on the length of the log, so a server can offer this to a shop's owner. The events are found by their tags. The events
/// of accounts are not read, because a recorded command shows that its accounts existed. The report's self-check only compares decisions,
/// and does not replay the cards a second time.
public struct CampaignWhatIf: Sendable {
    /// The number of events between two reports of progress.
    private static let reportEvery = 512
    /// The maximum number of positions that one search of the log by tags returns.
    private static let page = 4_096

    private let rules: ProgrammeRules
    private let campaign: CampaignID
    private let shops: [ShopID]

    /// - Parameters:
    ///   - rules: the changed rules. They are restricted to the campaign.
    ///   - shops: the campaign's own shop. The other shops at which its cards are or were collected are found in the campaign's history.
    public init(_ rules: ProgrammeRules, of campaign: CampaignID, at shops: [ShopID]) {
        var rules = rules
        (rules.campaigns, rules.shops) = ([campaign], [])
        (self.rules, self.campaign, self.shops) = (rules, campaign, shops)
    }

    /// The outcome of a re-run.
    public enum Outcome: Sendable {
        case report(WhatIfReport)
        /// The run was stopped, because `progress` returned false.
        case stopped
        /// The history has more events than were permitted. Nothing was decided.
        case tooLong
    }

    /// Runs the campaign's history again.
    ///
    /// - Parameters:
    ///   - eventsMax: the maximum number of events to read.
    ///   - progress: called regularly on this thread with the number of processed events and the number of all events. Both are 0 during
    ///     the search for the events. Returns whether to continue.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``.
    public func run(on log: EventLog, eventsMax: Int, progress: (Int, Int) -> Bool) throws(AuditError) -> Outcome {
        var rerun = Rerun(rules, Prices(), knowsEveryone: true)
        rerun.begin()
        var end = Position.start
        do {
            guard let positions = try find(in: log, eventsMax: eventsMax, progress) else { return .stopped }
            guard positions.count <= eventsMax else { return .tooLong }
            for (number, position) in positions.enumerated() {
                if number % Self.reportEvery == 0, !progress(number, positions.count) { return .stopped }
                guard let event = try log.event(at: position) else { continue }
                if Rerun.eventTypes.contains(event.event.type) { try rerun.take(try LoyaltyCodec.decode(event)) }
                end = position
            }
            try rerun.finish()
            guard progress(positions.count, positions.count) else { return .stopped }
        } catch {
            throw AuditError(any: error)
        }
        let digest = rerun.recorded.cards.digest.hex
        let check = SelfCheck(
            equal: rerun.recorded.equal, different: rerun.recorded.different, firstDifference: rerun.recorded.firstDifference,
            digest: digest, replayDigest: digest)
        return .report(WhatIfReport(rerun, rules, Prices(), check, end))
    }

    /// The queries for the events of the campaign, and for the events of its shops of the types in `Rerun.shopTypes`.
    ///
    /// There may be several queries, because one query may have only a limited number of items.
    private func queries(_ shops: Set<ShopID>) -> [Query] {
        let items =
            [QueryItem(tags: [Tag(.campaign, campaign.value)])]
            + shops.sorted().map { QueryItem(types: Rerun.shopTypes, tags: [Tag(.shop, $0.value)]) }
        return stride(from: 0, to: items.count, by: LogLimits.queryItemsMax).map { start in
            .items(Array(items[start..<min(start + LogLimits.queryItemsMax, items.count)]))
        }
    }

    /// The campaign's own shop, and all other shops that any version of its terms named. At most ``page`` changes of the terms are read.
    private func places(in log: EventLog, through head: Position) throws -> Set<ShopID> {
        let terms = Query.items([
            QueryItem(types: [.campaignPublished, .campaignEdited], tags: [Tag(.campaign, campaign.value)])
        ])
        var places = Set(shops)
        for position in try log.positions(matching: terms, after: .start, through: head, backwards: false, limit: Self.page) {
            guard let event = try log.event(at: position) else { continue }
            switch try LoyaltyCodec.decode(event).event {
            case .campaignPublished(let published): places.formUnion(published.terms.options.shops)
            case .campaignEdited(let edited): places.formUnion(edited.terms.options.shops)
            default: break
            }
        }
        return places
    }

    /// Finds the positions of the events that ``queries(_:)`` match.
    ///
    /// - Returns: nil if `progress` returned false. The search ends once there are more than `eventsMax` positions, so up to ``page`` more
    ///   positions may be returned.
    private func find(in log: EventLog, eventsMax: Int, _ progress: (Int, Int) -> Bool) throws -> [Position]? {
        let head = log.head
        var found: Set<Position> = []
        for query in queries(try places(in: log, through: head)) {
            var after = Position.start
            while found.count <= eventsMax {
                guard progress(0, 0) else { return nil }
                let page = try log.positions(matching: query, after: after, through: head, backwards: false, limit: Self.page)
                found.formUnion(page)
                guard page.count == Self.page, let last = page.last else { break }
                after = last
            }
        }
        return found.sorted()
    }
}
