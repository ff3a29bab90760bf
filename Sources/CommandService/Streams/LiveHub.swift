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
///
/// One reader serves all streams: it reads the log once and routes events by account and shop. A slow stream falls back to queries of its
/// own instead of growing.
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

    package init(log: EventLog, clock: any Clock) {
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

/// The one reader of the log.
extension LiveHub {
    /// Reads from a position on until no stream is open, or the log is closed.
    func run(after start: Position) {
        Task.detached { [self] in
            do {
                let types = LiveInterest.types
                let subscription = try log.subscribe(
                    to: .items([QueryItem(types: types, tags: [])]), after: start, name: "live events")
                for try await event in subscription {
                    guard try route(event) else { return }
                }
            } catch {
                // Close a stalled stream; the client reconnects and gets the reason.
            }
            state.withLock { $0.isRunning = false }
            stop()
        }
        let run = state.withLock { $0.run }
        Task.detached { [self] in
            while state.withLock({ $0.isRunning && $0.run == run }) {
                try? await Task.sleep(for: .seconds(Limits.liveLookSeconds))
                look()
            }
        }
    }

    /// Offers an event to whom it may concern.
    ///
    /// - Returns: false where no stream is open any more.
    private func route(_ event: SequencedEvent) throws -> Bool {
        var failure: (any Error)?
        var goesOn = true
        wake { state in
            guard !state.feeds.isEmpty else {
                (state.isRunning, goesOn) = (false, false)
                return []
            }
            do {
                return try Self.route(event, in: &state)
            } catch {
                failure = error
                return []
            }
        }
        if let failure { throw failure }
        return goesOn
    }

    private static func route(_ event: SequencedEvent, in state: inout State) throws -> [UInt64] {
        let numbers = listeners(to: event.event, in: state)
        if !numbers.isEmpty {
            let fact = try LoyaltyCodec.decode(event)
            for number in numbers { offer(fact, to: number, in: &state) }
        }
        // Set last: a stream that attaches from here on does not get this event, and reads through this position.
        state.routed = event.position
        return numbers
    }

    private static func listeners(to event: NewEvent, in state: State) -> [UInt64] {
        // Rare, and for many.
        if event.type == .noticePosted { return Array(state.feeds.keys) }
        var numbers: Set<UInt64> = []
        for tag in event.tags {
            if tag.kind == .account { numbers.formUnion(state.numbersByAccount[AccountID(tag.value)] ?? []) }
            if tag.kind == .shop { numbers.formUnion(state.numbersByShop[ShopID(tag.value)] ?? []) }
        }
        return Array(numbers)
    }

    private static func offer(_ fact: Fact, to number: UInt64, in state: inout State) {
        guard let before = state.feeds[number]?.interest.workplaces else { return }
        state.feeds[number]?.offer(fact)
        guard let after = state.feeds[number]?.interest.workplaces, after != before else { return }
        index(number, from: before.keys, to: after.keys, in: &state)
    }

    /// Brings the look-up by shop in line with where a feed's account works.
    static func index(
        _ number: UInt64, from before: some Sequence<ShopID>, to after: some Sequence<ShopID>, in state: inout State
    ) {
        for shop in before {
            state.numbersByShop[shop]?.remove(number)
            if state.numbersByShop[shop]?.isEmpty ?? false { state.numbersByShop[shop] = nil }
        }
        for shop in after { state.numbersByShop[shop, default: []].insert(number) }
    }
}

/// The side of the streams' readers: see ``LiveStream/next()``.
extension LiveHub {
    /// The next item for a reader. Waits for one.
    func next(_ number: UInt64) async throws -> LiveItem {
        while true {
            let now = now
            let step = state.withLock { state in
                let routed = state.routed
                return state.feeds[number]?.step(routed: routed, now: now) ?? .give(.ended(.gone))
            }
            switch step {
            case .give(let item): return item
            case .load(let account): try load(account, number)
            case .read(let interest, let after, let through):
                let facts = try read(interest, after, through, number)
                if !facts.isEmpty { return .events(facts) }
            case .wait: await wait(number)
            }
        }
    }

    /// Whether a reader would have to wait.
    func isIdle(_ number: UInt64) -> Bool {
        state.withLock { $0.feeds[number]?.isIdle ?? false }
    }

    func end(_ number: UInt64, _ reason: LiveEnding) {
        wake { state in
            state.feeds[number]?.end(reason)
            return [number]
        }
    }

    func close(_ number: UInt64) {
        end(number, .gone)
        state.withLock { state in
            guard let feed = state.feeds.removeValue(forKey: number) else { return }
            Self.index(number, from: feed.interest.workplaces.keys, to: [], in: &state)
            state.numbersByAccount[feed.account]?.remove(number)
            if state.numbersByAccount[feed.account]?.isEmpty ?? false { state.numbersByAccount[feed.account] = nil }
        }
    }

    /// The feed has been told of changes since it was opened; what is older is read here, and then both are put together.
    private func load(_ account: AccountID, _ number: UInt64) throws {
        let routed = state.withLock { $0.routed }
        // It may have ended between the look at its token and the opening; from the opening on the feed hears of it.
        if let session = state.withLock({ $0.feeds[number]?.session }), try LogPast(log).session(session)?.isEnded == true {
            return end(number, .signedOut)
        }
        let interest = try LiveInterest.load(of: account, from: log, through: routed)
        state.withLock { state in
            let routed = state.routed
            state.feeds[number]?.attach(interest, routed: routed)
            guard let workplaces = state.feeds[number]?.interest.workplaces else { return }
            Self.index(number, from: [], to: workplaces.keys, in: &state)
        }
    }

    private func read(
        _ interest: LiveInterest, _ after: Position, _ through: Position, _ number: UInt64
    ) throws -> [Fact] {
        let (facts, covered) = try interest.read(log, after: after, through: through, limit: Limits.livePageEvents)
        let now = now
        state.withLock { $0.feeds[number]?.advance(to: covered, gave: !facts.isEmpty, now: now) }
        return facts
    }

    private func wait(_ number: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard let feed = state.feeds[number], feed.isIdle else { return false }
                    state.feeds[number]?.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            end(number, .gone)
        }
    }
}
