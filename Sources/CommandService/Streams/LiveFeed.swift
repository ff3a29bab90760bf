import EventLog
import Loyalty

/// One stream in the hub: a value without locks, changed under the hub's lock.
///
/// Everything through ``covered`` was delivered or is of no interest. The reader gets events between it and ``through`` from the log, by
/// the index. The hub adds later events to a bounded buffer. When the buffer is full, the hub adds no more. The reader empties it and then
/// begins anew, from its own position to the hub's present one. So catching up at the start and falling behind later are the same, and no
/// event is lost or delivered twice.
struct LiveFeed {
    /// The reader's next step.
    enum Step {
        /// Load the account's interest as of a position.
        case load(AccountID)
        case read(LiveInterest, after: Position, through: Position)
        case give(LiveItem)
        case wait
    }

    private enum Phase {
        case loading
        case live
        /// The buffer was full when another event came.
        case behind
    }

    let account: AccountID
    let session: SessionID
    /// The end of the stream's session, by the steady clock like every time here.
    let expiresAt: Instant
    private var phase = Phase.loading
    private(set) var interest: LiveInterest
    /// Changes of the interest that arrived while it was being loaded.
    private var changes: [Fact] = []
    private var covered: Position
    private var through: Position
    private(set) var buffer: [Fact] = []
    /// The time of the last delivery to the reader.
    private var quietSince: Instant
    private var isBeatDue = false
    private var ending: LiveEnding?
    /// The reader's continuation while it waits.
    var waiter: CheckedContinuation<Void, Never>?

    init(account: AccountID, session: SessionID, expiresAt: Instant, after: Position, now: Instant) {
        self.account = account
        self.session = session
        self.expiresAt = expiresAt
        interest = LiveInterest(of: account)
        covered = after
        through = after
        quietSince = now
    }

    var isEnded: Bool { ending != nil }

    /// Whether the reader's next step would be to wait.
    var isIdle: Bool {
        ending == nil && phase == .live && covered >= through && buffer.isEmpty && !isBeatDue
    }

    /// The next step, with the buffered events.
    ///
    /// - Parameter routed: the position that the hub has reached.
    mutating func step(routed: Position, now: Instant) -> Step {
        if let ending { return .give(.ended(ending)) }
        if phase == .loading { return .load(account) }
        if covered < through { return .read(interest, after: covered, through: through) }
        if let last = buffer.last {
            cover(Position(last.position))
            return .give(.events(take(now)))
        }
        if phase == .behind {
            (phase, through) = (.live, routed)
            return step(routed: routed, now: now)
        }
        guard isBeatDue else { return .wait }
        note(now)
        return .give(.beat)
    }

    /// From here on the hub adds to the buffer; the reader reads everything before this position from the log.
    mutating func attach(_ loaded: LiveInterest, routed: Position) {
        guard phase == .loading else { return }
        interest = loaded
        for fact in changes { interest.note(fact) }
        changes = []
        interest.forget(through: covered)
        (phase, through) = (.live, routed)
    }

    /// The reader has read through a position.
    mutating func advance(to position: Position, gave: Bool, now: Instant) {
        cover(position)
        if gave { note(now) }
    }

    private mutating func cover(_ position: Position) {
        covered = position
        interest.forget(through: position)
    }

    /// Receives an event that the hub routes.
    mutating func offer(_ fact: Fact) {
        if case .sessionEnded(let event) = fact.event, event.session == session { end(.signedOut) }
        if phase == .loading { return changes.append(fact) }
        interest.note(fact)
        guard phase == .live, fact.position > covered.rawValue, interest.wants(fact) else { return }
        if buffer.count < Limits.liveBufferedEventsMax { buffer.append(fact) } else { phase = .behind }
    }

    /// Checks whether a heartbeat or the end is due.
    mutating func look(at now: Instant) {
        if now >= expiresAt { return end(.expired) }
        if now >= quietSince.advanced(bySeconds: Limits.liveBeatSeconds) { isBeatDue = true }
    }

    /// Ends the feed. The first reason stays.
    mutating func end(_ reason: LiveEnding) {
        guard ending == nil else { return }
        ending = reason
        buffer = []
    }

    private mutating func take(_ now: Instant) -> [Fact] {
        defer { buffer = [] }
        note(now)
        return buffer
    }

    private mutating func note(_ now: Instant) {
        (quietSince, isBeatDue) = (now, false)
    }
}
