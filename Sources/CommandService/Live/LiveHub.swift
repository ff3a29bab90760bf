public import EventLog
public import Loyalty
import LoyaltyCodec
import Synchronization

/// Brings events to all streams that are open: one subscription reads the log once and routes each event, by the account and the
/// shop in its tags, to the few feeds that want it.
///
/// Life of an event here:
/// 1. the subscription hands it out, after its commit;
/// 2. the hub looks up account and shop; where nobody listens it is not even decoded;
/// 3. each feed that wants it gets it into its buffer, and its reader wakes;
/// 4. a feed whose buffer is full gets nothing more: its reader comes back to the log by itself (``LiveFeed``).
///
/// While no stream is open nothing is read. Any task may call anything.
public final class LiveHub: Sendable {
    /// Guarded by the mutex.
    struct State {
        var lastNumber: UInt64 = 0
        var feeds: [UInt64: LiveFeed] = [:]
        var numbersByAccount: [AccountID: Set<UInt64>] = [:]
        var numbersByShop: [ShopID: Set<UInt64>] = [:]
        /// Every event through here was offered to the feeds of that time.
        var routed: Position = .start
        var isRunning = false
        /// How often the reading has begun.
        var run: UInt64 = 0
        var refused: UInt64 = 0
    }

    let log: EventLog
    private let clock: any Clock
    let state = Mutex(State())

    init(log: EventLog, clock: any Clock) {
        self.log = log
        self.clock = clock
    }

    /// Streams that are open.
    public var count: Int { state.withLock { $0.feeds.count } }

    /// Streams that were refused since the start.
    public var refused: UInt64 { state.withLock { $0.refused } }

    /// Events that wait in buffers, of all streams.
    package var buffered: Int { state.withLock { $0.feeds.values.reduce(0) { $0 + $1.buffer.count } } }

    /// Opens a stream; it closes with the last reference to it.
    ///
    /// - Parameters:
    ///   - session: the stream ends with it.
    ///   - expiresAt: when the access token is over, and with it the stream.
    ///   - after: exclusive; nil for what happens from now on.
    /// - Throws: ``LiveRefusal``.
    public func open(
        for account: AccountID, session: SessionID, until expiresAt: Instant, after: Position? = nil
    ) throws(LiveRefusal) -> LiveStream {
        let (head, now) = (log.head, now)
        guard after.map({ $0 <= head }) ?? true else { throw .beyondHead }
        let left = Instant(microseconds: now.microseconds + expiresAt.microseconds - clock.now().microseconds)
        let feed = LiveFeed(account: account, session: session, expiresAt: left, after: after ?? head, now: now)
        let opened = state.withLock { state -> Result<(number: UInt64, start: Position?), LiveRefusal> in
            if let refusal = Self.refusal(of: account, in: state) {
                state.refused += 1
                return .failure(refusal)
            }
            return .success(Self.add(feed, to: &state, head: head))
        }
        let (number, start) = try opened.get()
        if let start { run(after: start) }
        return LiveStream(hub: self, number: number, startsAfter: after ?? head)
    }

    /// Ends all streams: the service is stopping.
    public func stop() {
        wake { state in
            for number in state.feeds.keys { state.feeds[number]?.end(.stopping) }
            return Array(state.feeds.keys)
        }
    }

    /// Looks at the clock for every stream: who has been quiet for long, and whose token is over. The hub does so each second by
    /// itself; tests need not wait for that.
    package func look() {
        let now = now
        wake { state in
            for number in state.feeds.keys { state.feeds[number]?.look(at: now) }
            return Array(state.feeds.keys)
        }
    }

    private static func refusal(of account: AccountID, in state: State) -> LiveRefusal? {
        if state.feeds.count >= Limits.liveStreamsMax { return .tooMany }
        let own = state.numbersByAccount[account]?.count ?? 0
        return own >= Limits.liveStreamsPerAccountMax ? .tooManyOfAccount : nil
    }

    /// - Returns: the feed's number, and from where on the log is to be read, unless somebody reads it.
    private static func add(_ feed: LiveFeed, to state: inout State, head: Position) -> (UInt64, Position?) {
        state.lastNumber += 1
        state.feeds[state.lastNumber] = feed
        state.numbersByAccount[feed.account, default: []].insert(state.lastNumber)
        guard !state.isRunning else { return (state.lastNumber, nil) }
        (state.isRunning, state.routed) = (true, head)
        state.run += 1
        return (state.lastNumber, head)
    }

    /// Changes feeds and wakes the readers of those that have something to do.
    func wake(_ change: (inout State) -> [UInt64]) {
        let waiters = state.withLock { state in
            change(&state).compactMap { number -> CheckedContinuation<Void, Never>? in
                guard let feed = state.feeds[number], !feed.isIdle, let waiter = feed.waiter else { return nil }
                state.feeds[number]?.waiter = nil
                return waiter
            }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// By the steady clock: a beat that waited for a time set back would come too late for what is between.
    var now: Instant { clock.steady() }
}
