import EventLog
import Loyalty

/// One stream in the hub: a value without locks, changed under the hub's lock.
///
/// All events up to ``covered`` were delivered or are not for this stream. The reader finds those up to ``through`` in the log, and the hub
/// buffers later ones. From a full buffer, the reader goes on to the log up to the hub's position, so no event is lost or delivered twice.
struct LiveFeed {
    enum Step {
        case load(AccountID, after: Position)
        case read(LiveInterest, after: Position, through: Position)
        case give(LiveItem)
        case wait
    }

    private enum Phase {
        case loading
        case live
        /// The buffer was full, so the reader reads this event from the log.
        case behind
    }

    let account: AccountID
    let session: SessionID
    /// The end of the access token. All times in a feed are those of the steady clock.
    let expiresAt: Instant
    private var phase = Phase.loading
    private(set) var interest: LiveInterest
    /// Changes of the interest while it is being loaded; nil before that, because the load contains earlier ones.
    private var changes: [(fact: Fact, isSpent: Bool)]?
    private var covered: Position
    private var through: Position
    private(set) var buffer: [Fact] = []
    private var quietSince: Instant
    private var isBeatDue = false
    private var isPaused = false
    private var ending: LiveEnding?
    var waiter: CheckedContinuation<Void, Never>?

    init(account: AccountID, session: SessionID, expiresAt: Instant, after: Position, now: Instant) {
        (self.account, self.session, self.expiresAt) = (account, session, expiresAt)
        interest = LiveInterest(of: account)
        covered = after
        through = after
        quietSince = now
    }

    var isEnded: Bool { ending != nil }

    var isIdle: Bool {
        guard ending == nil, !isBeatDue else { return false }
        return isPaused || phase == .live && !needsLog && buffer.isEmpty
    }

    private var needsLog: Bool { phase == .loading || covered < through }

    /// Returns the reader's next step. `routed` is the hub's position, and `mayRead` the permission of ``LivePace``.
    mutating func step(routed: Position, mayRead: Bool, now: Instant) -> Step {
        if let ending { return .give(.ended(ending)) }
        isPaused = needsLog && !mayRead
        if isPaused { return beatOrWait(now) }
        if phase == .loading {
            changes = []
            return .load(account, after: covered)
        }
        if covered < through { return .read(interest, after: covered, through: through) }
        if let last = buffer.last {
            cover(Position(last.position))
            return .give(.events(take(now)))
        }
        if phase == .behind {
            (phase, through) = (.live, routed)
            return step(routed: routed, mayRead: mayRead, now: now)
        }
        return beatOrWait(now)
    }

    private mutating func beatOrWait(_ now: Instant) -> Step {
        guard isBeatDue else { return .wait }
        note(now)
        return .give(.beat)
    }

    mutating func attach(_ loaded: LiveInterest, routed: Position) {
        guard phase == .loading else { return }
        interest = loaded
        for change in changes ?? [] { interest.note(change.fact, isSpent: change.isSpent) }
        changes = nil
        interest.forget(through: covered)
        (phase, through) = (.live, routed)
    }

    mutating func advance(to position: Position, gave: Bool, now: Instant) {
        cover(position)
        if gave { note(now) }
    }

    private mutating func cover(_ position: Position) {
        covered = position
        interest.forget(through: position)
    }

    /// Buffers an event that the account may see, if there is room. While the interest is loading, keeps it as a possible change.
    mutating func offer(_ fact: Fact, isSpent: Bool) {
        if case .sessionEnded(let event) = fact.event, event.session == session { end(.signedOut) }
        if phase == .loading {
            changes?.append((fact, isSpent))
            return
        }
        interest.note(fact, isSpent: isSpent)
        guard phase == .live, fact.position > covered.rawValue, interest.wants(fact) else { return }
        if buffer.count < Limits.liveBufferedEventsMax { buffer.append(fact) } else { phase = .behind }
    }

    mutating func look(at now: Instant) {
        if now >= expiresAt { return end(.expired) }
        isPaused = false
        if now >= quietSince.advanced(bySeconds: Limits.liveBeatSeconds) { isBeatDue = true }
    }

    mutating func end(_ reason: LiveEnding) {
        guard ending == nil else { return }
        ending = reason
        buffer = []
        changes = nil
    }

    private mutating func take(_ now: Instant) -> [Fact] {
        defer { buffer = [] }
        note(now)
        return buffer
    }

    private mutating func note(_ now: Instant) { (quietSince, isBeatDue) = (now, false) }
}
