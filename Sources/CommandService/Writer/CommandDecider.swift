package import EventLog
internal import LMDB
import Loyalty
import LoyaltyCodec

/// Decides commands for the writer, by the state of the log up to the last staged event. A rejection or an error fails one command, and the
/// batch continues.
///
/// A command gets its time when it is decided, so a clock that jumps back makes no expired code valid again.
package struct CommandDecider: BatchDecider {
    private let appender: Appender
    private let clock: any Clock
    private let idle: IdleRequests
    private let timers: DeciderTimers?
    private var past: HotPast

    package init(_ appender: Appender, clock: any Clock, cachedEntitiesMax: Int, idle: IdleRequests? = nil, timers: DeciderTimers? = nil) {
        (self.timers, self.appender, self.clock) = (timers, appender, clock)
        self.idle = idle ?? IdleRequests(clock: clock)
        past = HotPast(appender, limit: cachedEntitiesMax)
    }

    package mutating func decide(_ submission: Submission) -> Result<Acceptance, ServiceError> {
        guard let timers else { return meteredOutcome(of: submission) }
        let start = ContinuousClock.now
        defer {
            timers.record(offered: submission.offered, start: start)
            submission.times?.noteDecision(since: start)
        }
        return meteredOutcome(of: submission)
    }

    private mutating func meteredOutcome(of submission: Submission) -> Result<Acceptance, ServiceError> {
        ReadMeter.running(under: submission.meter) { outcome(of: submission) }
    }

    private mutating func outcome(of submission: Submission) -> Result<Acceptance, ServiceError> {
        do {
            if let earlier = try earlierOutcome(of: submission.caller) { return earlier }
            let now = submission.at ?? clock.now()
            let actor = submission.caller.account
            return switch try judge(submission.command, by: actor, at: now) {
            case .failure(let rejection): .failure(.rejected(rejection))
            case .success(let events): .success(try accept(events, of: submission.caller, at: now))
            }
        } catch {
            return .failure(ServiceError(storage: error))
        }
    }

    /// Decides a command. The scheduler's commands bypass the cache, because millions of idle cards would evict those of customers at the
    /// counter.
    private mutating func judge(_ command: Command, by actor: AccountID, at now: Instant) throws -> Result<[LoyaltyEvent], Rejection> {
        guard actor == .system else { return try command.decide(in: &past, by: actor, at: now) }
        var cold = LogPast(appender)
        return try command.decide(in: &cold, by: actor, at: now)
    }

    private mutating func earlierOutcome(of caller: Caller) throws -> Result<Acceptance, ServiceError>? {
        guard let mark = caller.mark else { return nil }
        guard let earlier = try past.facts(ofRequest: mark.request) else { return idleOutcome(of: mark) }
        guard mark.isSame(as: earlier.digest) else { return .failure(.idempotencyKeyReused) }
        guard let last = earlier.facts.last else { return nil }
        let position = Position(rawValue: last.position)
        let then = LogPast(appender, through: position)
        let cards = try Self.cardsTouched(by: earlier.facts).compactMap { try then.card($0, orNewest: past.known($0)) }
        return .success(Acceptance(position: position, facts: earlier.facts, cards: cards, isReplay: true))
    }

    private func idleOutcome(of mark: RequestMark) -> Result<Acceptance, ServiceError>? {
        guard let earlier = idle.find(mark) else { return nil }
        guard earlier.isSame else { return .failure(.idempotencyKeyReused) }
        return .success(Acceptance(position: earlier.position, facts: [], cards: [], isReplay: true))
    }

    /// Stages the events of an accepted command and applies them to the past. Every step that can fail comes before or in staging, so that
    /// a refused command leaves nothing in the batch.
    private mutating func accept(_ events: [LoyaltyEvent], of caller: Caller, at now: Instant) throws -> Acceptance {
        let first = appender.head.rawValue + 1
        var facts: [Fact] = []
        facts.reserveCapacity(events.count)
        let encoded = try events.map { event in
            facts.append(Fact(position: first + UInt64(facts.count), time: now, actor: caller.account, event: event))
            return try LoyaltyCodec.encode(event, by: caller.account, at: now, mark: caller.mark)
        }
        let cards = caller.account == .system ? [] : try cards(after: facts)
        try appender.stage(encoded)
        for fact in facts { past.evolve(fact) }
        if facts.isEmpty, let mark = caller.mark { try idle.note(mark, at: appender.head) }
        return Acceptance(position: appender.head, facts: facts, cards: cards, isReplay: false)
    }

    private mutating func cards(after facts: [Fact]) throws -> [Card] {
        try Self.cardsTouched(by: facts).compactMap { id in
            if let opened = Card.fold(facts.lazy.filter { $0.event.card == id }) { return opened }
            var card = try past.card(id)
            for fact in facts { card?.evolve(fact) }
            return card
        }
    }

    private static func cardsTouched(by facts: [Fact]) -> [CardID] {
        var cards: [CardID] = []
        for fact in facts {
            if case .cardExpired = fact.event { continue }
            if let card = fact.event.card, !cards.contains(card) { cards.append(card) }
        }
        return cards
    }
}
