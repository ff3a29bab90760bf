public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec

/// Replays one campaign's history under changed rules, at a cost that depends on that history and not on the log's length.
///
/// The answer equals that of ``WhatIf`` for this campaign. Events of accounts are not read, because a recorded command shows that its
/// accounts existed. The self-check compares only decisions.
public struct CampaignWhatIf: Sendable {
    private static let reportEvery = 512
    private static let page = 4_096

    private let rules: ProgrammeRules
    private let campaign: CampaignID
    private let shops: [ShopID]

    /// - Parameters:
    ///   - rules: the changed rules. They are restricted to the campaign.
    ///   - shops: the campaign's own shop. Its other shops are found in the history.
    public init(_ rules: ProgrammeRules, of campaign: CampaignID, at shops: [ShopID]) {
        var rules = rules
        (rules.campaigns, rules.shops) = ([campaign], [])
        (self.rules, self.campaign, self.shops) = (rules, campaign, shops)
    }

    /// The outcome of a re-run.
    public enum Outcome: Sendable {
        case report(WhatIfReport)
        /// `progress` returned false.
        case stopped
        /// The history has more events than were permitted. Nothing was decided.
        case tooLong
    }

    /// Runs the campaign's history again.
    ///
    /// - Parameters:
    ///   - eventsMax: the maximum number of events to read.
    ///   - progress: called with the numbers of processed and of all events, both 0 during the search. Returns whether to continue.
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
                if Rerun.eventTypes.contains(event.event.type) { try rerun.apply(try LoyaltyCodec.decode(event)) }
                end = position
            }
            try rerun.finish()
            guard progress(positions.count, positions.count) else { return .stopped }
        } catch {
            throw AuditError(any: error)
        }
        return .report(WhatIfReport(rerun, rules, Prices(), rerun.recorded.check(), end))
    }

    private func queries(_ shops: Set<ShopID>) -> [Query] {
        Query.all(
            of: [QueryItem(tags: [Tag(.campaign, campaign.value)])]
                + shops.sorted().map { QueryItem(types: Rerun.shopTypes, tags: [Tag(.shop, $0.value)]) })
    }

    /// All shops that any version of the terms named. At most ``page`` changes of the terms are read.
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

    /// Finds the positions that ``queries(_:)`` match; nil if `progress` returned false.
    ///
    /// The result may exceed `eventsMax` by up to ``page`` positions.
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
