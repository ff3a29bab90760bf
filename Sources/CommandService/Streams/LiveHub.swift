public import EventLog
public import Loyalty
import LoyaltyCodec
package import ReadModels
import Synchronization

/// Delivers events to all open streams. One subscription reads the log and routes each event, by the account and the shop in its tags, to
/// the feeds (``LiveFeed``) of the streams that may show the event. An event is for few streams, unless it is a notice.
///
/// The steps of an event:
/// 1. The subscription returns the event, after its commit.
/// 2. The hub looks up the event's account and shop. If no feed may want the event, the event is not decoded, unless it discards a card.
/// 3. Each feed that wants the event stores it in its buffer, and the feed's reader wakes.
/// 4. A feed whose buffer is full gets no further events. Its reader reads them from the log instead (``LiveFeed``).
///
/// After the last stream has closed, the hub reads one more event, and then stops reading the log until a stream opens. The memory for a
/// slow stream does not grow, because its reader reads from the log the events that do not fit in the buffer. ``LivePace`` bounds the rate
/// of such reads. Any task may call any method.
public final class LiveHub: Sendable {
    /// State that is guarded by the mutex.
    struct State {
        var lastNumber: UInt64 = 0
        var feeds: [UInt64: LiveFeed] = [:]
        var numbersByAccount: [AccountID: Set<UInt64>] = [:]
        var numbersByShop: [ShopID: Set<UInt64>] = [:]
        /// All events up to this position were routed: each was offered to the feeds that were open when it was routed.
        var routed: Position = .start
        /// The events that the streams of each account have read from the log.
        var pace = LivePace()
        var isRunning = false
        /// The number of times that the hub has begun to read the log.
        var run: UInt64 = 0
        var refused: UInt64 = 0
    }

    let log: EventLog
    private let models: ReadModels
    private let clock: any Clock
    let state = Mutex(State())

    package init(log: EventLog, models: ReadModels, clock: any Clock) {
        self.log = log
        self.models = models
        self.clock = clock
    }

    /// The number of open streams.
    public var count: Int { state.withLock { $0.feeds.count } }

    /// The number of streams that were refused since the start.
    public var refused: UInt64 { state.withLock { $0.refused } }

    /// The number of events in the buffers of all streams.
    package var buffered: Int { state.withLock { $0.feeds.values.reduce(0) { $0 + $1.buffer.count } } }

    /// Opens a stream. The stream closes when the last reference to it is released.
    ///
    /// - Parameters:
    ///   - session: the session of the access token; when it ends, so does the stream.
    ///   - expiresAt: the end of the access token, and therefore of the stream.
    ///   - after: the position after which the stream begins; nil to begin with future events.
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

    /// Ends all streams, because the service is stopping or the log cannot be read any more.
    public func stop() {
        wake { state in
            for number in state.feeds.keys { state.feeds[number]?.end(.stopping) }
            return Array(state.feeds.keys)
        }
    }

    /// Checks every stream for a due heartbeat or an expired token, and wakes the readers that wait to read the log. While the hub itself
    /// reads the log, it does so each second; tests call this instead of waiting.
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

    /// Adds a feed to the state, and marks the hub as running if it was not.
    ///
    /// - Returns: the feed's number, and the position after which the caller must begin to read the log. The position is nil if the hub is
    ///   reading the log already.
    private static func add(_ feed: LiveFeed, to state: inout State, head: Position) -> (UInt64, Position?) {
        state.lastNumber += 1
        state.feeds[state.lastNumber] = feed
        state.numbersByAccount[feed.account, default: []].insert(state.lastNumber)
        guard !state.isRunning else { return (state.lastNumber, nil) }
        (state.isRunning, state.routed) = (true, head)
        state.run += 1
        return (state.lastNumber, head)
    }

    /// Changes feeds and wakes the readers of those that have a next step.
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

    /// The time by the steady clock. The hub does not use the time of day: if that were set back, heartbeats would be late.
    var now: Instant { clock.steady() }
}

/// The hub's task that reads the log for all streams.
extension LiveHub {
    /// Reads and routes the events after a position, until no stream is open, or the log is closed or cannot be read.
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
                // The log cannot be read any more, so all streams end below. Their clients reconnect and then get the reason.
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

    /// Offers an event to the feeds that may want it.
    ///
    /// - Returns: false if no stream is open any more.
    private func route(_ event: SequencedEvent) throws -> Bool {
        let discarded = event.event.type == .cardDiscarded ? try LoyaltyCodec.decode(event) : nil
        let isSpent = try discarded.map { try LiveInterest.isSpent($0, in: log) } ?? false
        var failure: (any Error)?
        var goesOn = true
        wake { state in
            guard !state.feeds.isEmpty else {
                (state.isRunning, goesOn) = (false, false)
                return []
            }
            do {
                return try Self.route(event, isSpent: isSpent, in: &state)
            } catch {
                failure = error
                return []
            }
        }
        if let failure { throw failure }
        return goesOn
    }

    private static func route(_ event: SequencedEvent, isSpent: Bool, in state: inout State) throws -> [UInt64] {
        let numbers = listeners(to: event.event, in: state)
        if !numbers.isEmpty {
            let fact = try LoyaltyCodec.decode(event)
            for number in numbers { offer(fact, isSpent: isSpent, to: number, in: &state) }
        }
        // This position is set after the feeds for the event were chosen. A stream that attaches later does not get this event from the
        // hub, and reads the log through this position.
        state.routed = event.position
        return numbers
    }

    private static func listeners(to event: NewEvent, in state: State) -> [UInt64] {
        // A notice is rare and may be for every feed, so it is offered to all feeds.
        if event.type == .noticePosted { return Array(state.feeds.keys) }
        var numbers: Set<UInt64> = []
        for tag in event.tags {
            // While a stream is being loaded, it is not listed by shop. So the former owner of a sold shop must be found by account, or
            // would see the shop's later events.
            if tag.kind == .account || tag.kind == .formerOwner {
                numbers.formUnion(state.numbersByAccount[AccountID(tag.value)] ?? [])
            }
            if tag.kind == .shop { numbers.formUnion(state.numbersByShop[ShopID(tag.value)] ?? []) }
        }
        return Array(numbers)
    }

    private static func offer(_ fact: Fact, isSpent: Bool, to number: UInt64, in state: inout State) {
        guard let before = state.feeds[number]?.interest.workplaces else { return }
        state.feeds[number]?.offer(fact, isSpent: isSpent)
        guard let after = state.feeds[number]?.interest.workplaces, after != before else { return }
        index(number, from: before.keys, to: after.keys, in: &state)
    }

    /// Updates the table of feeds by shop when the shops where a feed's account works have changed.
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

/// The methods of the hub that the streams' readers call; see ``LiveStream/next()``.
extension LiveHub {
    /// The next item for a reader. Suspends the reader until there is an item.
    func next(_ number: UInt64) async throws -> LiveItem {
        while true {
            let now = now
            let step = state.withLock { state -> LiveFeed.Step in
                guard let account = state.feeds[number]?.account else { return .give(.ended(.gone)) }
                let (routed, mayRead) = (state.routed, state.pace.allowsRead(by: account, at: now))
                return state.feeds[number]?.step(routed: routed, mayRead: mayRead, now: now) ?? .give(.ended(.gone))
            }
            switch step {
            case .give(let item): return item
            case .load(let account, let after): try await load(account, after: after, number)
            case .read(let interest, let after, let through):
                let facts = try read(interest, after, through, number)
                if !facts.isEmpty { return .events(facts) }
                // A long part of the log may have no event for this stream, so other tasks run between two of its pages.
                await Task.yield()
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

    /// Loads the interest (the events that the account may see), and applies the changes that arrived since the feed was opened.
    private func load(_ account: AccountID, after start: Position, _ number: UInt64) async throws {
        let routed = state.withLock { $0.routed }
        // The session may have ended after its token was checked and before the stream was opened. The hub may have routed that event
        // before the stream was there, so the session is read from the log. A later end of the session reaches the feed as an event.
        if let session = state.withLock({ $0.feeds[number]?.session }), try LogPast(log).session(session)?.isEnded == true {
            return end(number, .signedOut)
        }
        let places = try models.notices.places(of: account)
        let interest = try await LiveInterest.load(of: account, places, from: log, after: start, through: routed) { events in
            let now = now
            state.withLock { $0.pace.count(events, readBy: account, at: now) }
        }
        state.withLock { state in
            let routed = state.routed
            state.feeds[number]?.attach(interest, routed: routed)
            guard let workplaces = state.feeds[number]?.interest.workplaces else { return }
            Self.index(number, from: [], to: workplaces.keys, in: &state)
        }
    }

    /// Reads a page of events from the log.
    ///
    /// - Returns: the events to show; none if the stream ended meanwhile.
    func read(
        _ interest: LiveInterest, _ after: Position, _ through: Position, _ number: UInt64
    ) throws -> [Fact] {
        let (facts, count, covered) = try interest.read(log, after: after, through: through, limit: Limits.livePageEvents)
        let now = now
        let isOpen = state.withLock { state in
            state.pace.count(count, readBy: interest.account, at: now)
            guard state.feeds[number]?.isEnded == false else { return false }
            state.feeds[number]?.advance(to: covered, gave: !facts.isEmpty, now: now)
            return true
        }
        return isOpen ? facts : []
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
