import EventLog
import Loyalty

/// One stream in the hub: a value without locks, changed under the hub's lock.
///
/// All events up to ``covered`` were delivered, or are not for this stream. The reader finds the events between ``covered`` and ``through``
/// in the log, by the tag index. The hub adds later events to a buffer of limited size. When the buffer is full, the hub adds no more
/// events to it. The reader then empties the buffer and reads from the log again, from its own position to the position that the hub has
/// reached. So a stream that falls behind continues in the same way as a stream that begins, and no event is lost or delivered twice. While
/// the account's streams may not read the log (``LivePace``), the reader waits, and gets only heartbeats and the stream's end.
struct LiveFeed {
    /// The reader's next step.
    enum Step {
        /// Load the account's interest (the events that the account may see) as of a position.
        case load(AccountID, after: Position)
        case read(LiveInterest, after: Position, through: Position)
        case give(LiveItem)
        case wait
    }

    private enum Phase {
        case loading
        case live
        /// The buffer was full when another event came, so the reader must read this event from the log.
        case behind
    }

    let account: AccountID
    let session: SessionID
    /// The time at which the stream's access token expires. All times in a feed are those of the steady clock.
    let expiresAt: Instant
    private var phase = Phase.loading
    private(set) var interest: LiveInterest
    /// Changes of the interest that arrived while it was being loaded; nil before that. A stream may wait for long before it loads its
    /// interest, and the interest then contains the changes from before.
    private var changes: [(fact: Fact, isSpent: Bool)]?
    private var covered: Position
    private var through: Position
    private(set) var buffer: [Fact] = []
    /// The time of the last delivery to the reader, of events or of a heartbeat; before the first one, the time of the feed's creation.
    private var quietSince: Instant
    private var isBeatDue = false
    /// Whether the reader waits until the account's streams may read the log again. Each check of all streams lets the reader try again.
    private var isPaused = false
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

    /// Whether the reader would have to wait now.
    var isIdle: Bool {
        guard ending == nil, !isBeatDue else { return false }
        return isPaused || phase == .live && !needsLog && buffer.isEmpty
    }

    /// Whether the reader's next step reads the log.
    private var needsLog: Bool { phase == .loading || covered < through }

    /// Returns the reader's next step. A step that gives events takes them from the buffer, which is empty after that.
    ///
    /// - Parameters:
    ///   - routed: the position up to which the hub has routed events.
    ///   - mayRead: whether the account's streams may read the log now; see ``LivePace``.
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

    /// Begins to collect events from the hub in the buffer. The reader reads all events up to `routed` from the log.
    mutating func attach(_ loaded: LiveInterest, routed: Position) {
        guard phase == .loading else { return }
        interest = loaded
        for change in changes ?? [] { interest.note(change.fact, isSpent: change.isSpent) }
        changes = nil
        interest.forget(through: covered)
        (phase, through) = (.live, routed)
    }

    /// Records that the reader has read the log up to a position. `gave` says whether the reader got any events from this part.
    mutating func advance(to position: Position, gave: Bool, now: Instant) {
        cover(position)
        if gave { note(now) }
    }

    private mutating func cover(_ position: Position) {
        covered = position
        interest.forget(through: position)
    }

    /// Handles an event that the hub routes to this stream.
    ///
    /// The event is added to the buffer if the account may see it and the buffer has room. While the interest is being loaded, the event is
    /// only kept as a possible change of the interest; before that, it is not kept. If the event ends the stream's session, the stream ends
    /// too.
    ///
    /// - Parameter isSpent: see ``LiveInterest/note(_:isSpent:)``.
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

    /// Ends the stream if its token has expired. Otherwise, after some time without a delivery, notes that a heartbeat is due. A paused
    /// reader tries again to read the log.
    mutating func look(at now: Instant) {
        if now >= expiresAt { return end(.expired) }
        isPaused = false
        if now >= quietSince.advanced(bySeconds: Limits.liveBeatSeconds) { isBeatDue = true }
    }

    /// Ends the feed. If it has ended before, the first reason is kept.
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

    private mutating func note(_ now: Instant) {
        (quietSince, isBeatDue) = (now, false)
    }
}
