import EventLog
import Loyalty

/// One stream as the hub keeps it: a value without locks, changed under the hub's.
///
/// Everything through ``covered`` was handed out or is of no interest. What lies between it and ``through`` the reader gets from the
/// log, by the index; what comes behind ``through`` the hub adds to a bounded buffer. When that is full the feed is left behind, the
/// hub adds no more, and the reader, once it has emptied the buffer, begins anew: from where it is to where the hub is by then. So
/// catching up at the start and falling behind later are one and the same, and nothing is lost or comes twice.
struct LiveFeed {
    /// The reader's next step.
    enum Step {
        /// Find out what the account is interested in, as of a position.
        case load(AccountID)
        case read(LiveInterest, after: Position, through: Position)
        case give(LiveItem)
        case wait
    }

    private enum Phase {
        case loading
        case live
        /// The buffer was full when something came.
        case behind
    }

    let account: AccountID
    let session: SessionID
    /// The end of the stream's session, by the steady clock like every time here.
    let expiresAt: Instant
    private var phase = Phase.loading
    private(set) var interest: LiveInterest
    /// Changes of the interest that came while it was being loaded.
    private var changes: [Fact] = []
    private var covered: Position
    private var through: Position
    private(set) var buffer: [Fact] = []
    /// When the reader was last given something.
    private var quietSince: Instant
    private var isBeatDue = false
    private var ending: LiveEnding?
    /// The reader, where it waits.
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

    /// Whether the reader, if it looked, would be told to wait.
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

    /// From here on the hub adds to the buffer; all before is the reader's to read.
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

    /// Takes in an event that the hub routes.
    mutating func offer(_ fact: Fact) {
        if case .sessionEnded(let event) = fact.event, event.session == session { end(.signedOut) }
        if phase == .loading { return changes.append(fact) }
        interest.note(fact)
        guard phase == .live, fact.position > covered.rawValue, interest.wants(fact) else { return }
        if buffer.count < Limits.liveBufferedEventsMax { buffer.append(fact) } else { phase = .behind }
    }

    /// Looks at the clock.
    mutating func look(at now: Instant) {
        if now >= expiresAt { return end(.expired) }
        if now >= quietSince.advanced(bySeconds: Limits.liveBeatSeconds) { isBeatDue = true }
    }

    /// The first reason stays.
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
