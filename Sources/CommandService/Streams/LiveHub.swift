public import EventLog
public import Loyalty
import LoyaltyCodec
package import ReadModels
import Synchronization

/// Delivers events to all open streams: one subscription reads the log and routes each event to the feeds (``LiveFeed``) that may show it.
///
/// Only events that a feed may want, and discarded cards, are decoded. A full feed's reader reads on from the log at the rate of
/// ``LivePace``, so a slow stream's memory does not grow. Any task may call.
public final class LiveHub: Sendable {
    struct State {
        var lastNumber: UInt64 = 0
        var feeds: [UInt64: LiveFeed] = [:]
        var numbersByAccount: [AccountID: Set<UInt64>] = [:]
        var numbersByShop: [ShopID: Set<UInt64>] = [:]
        /// Each event up to this position was offered to the feeds open at that time.
        var routed: Position = .start
        var pace = LivePace()
        var isRunning = false
        var run: UInt64 = 0
        var refused: UInt64 = 0
    }

    let log: EventLog
    private let models: ReadModels
    private let clock: any Clock
    let state = Mutex(State())

    package init(log: EventLog, models: ReadModels, clock: any Clock) { (self.log, self.models, self.clock) = (log, models, clock) }

    public var count: Int { state.withLock { $0.feeds.count } }

    public var refused: UInt64 { state.withLock { $0.refused } }

    package var buffered: Int { state.withLock { $0.feeds.values.reduce(0) { $0 + $1.buffer.count } } }

    /// Opens a stream, which closes when the last reference to it is released.
    ///
    /// - Parameters:
    ///   - session: its end ends the stream.
    ///   - expiresAt: the end of the access token, and so of the stream.
    ///   - after: the position after which the stream begins; nil for future events.
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

    /// Ends all streams.
    public func stop() {
        wake { state in
            for number in state.feeds.keys { state.feeds[number]?.end(.stopping) }
            return Array(state.feeds.keys)
        }
    }

    /// Checks every stream for a heartbeat or an expired token, and wakes paused readers, each second while the hub reads.
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

    /// Adds a feed. Returns its number, and the position after which the caller must begin to read the log, unless the hub reads already.
    private static func add(_ feed: LiveFeed, to state: inout State, head: Position) -> (UInt64, Position?) {
        state.lastNumber += 1
        state.feeds[state.lastNumber] = feed
        state.numbersByAccount[feed.account, default: []].insert(state.lastNumber)
        guard !state.isRunning else { return (state.lastNumber, nil) }
        (state.isRunning, state.routed) = (true, head)
        state.run += 1
        return (state.lastNumber, head)
    }

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

    /// The steady time; if a time of day were set back, heartbeats would be late.
    var now: Instant { clock.steady() }
}

extension LiveHub {
    func run(after start: Position) {
        Task.detached { [self] in
            do {
                let types = LiveInterest.types
                let subscription = try log.subscribe(to: .items([QueryItem(types: types, tags: [])]), after: start, name: "live events")
                for try await event in subscription {
                    guard try route(event) else { return }
                }
            } catch {
                // All streams end below. Their clients reconnect and get the reason.
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
        // Set after the event's feeds were chosen: a stream that attaches later reads the log through this position.
        state.routed = event.position
        return numbers
    }

    private static func listeners(to event: NewEvent, in state: State) -> [UInt64] {
        // A notice is rare and may be for every feed.
        if event.type == .noticePosted { return Array(state.feeds.keys) }
        var numbers: Set<UInt64> = []
        for tag in event.tags {
            // A stream that is being loaded is not listed by shop. So the former owner of a sold shop must be found by account, or would
            // see later events.
            if tag.kind == .account || tag.kind == .formerOwner { numbers.formUnion(state.numbersByAccount[AccountID(tag.value)] ?? []) }
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

    static func index(_ number: UInt64, from before: some Sequence<ShopID>, to after: some Sequence<ShopID>, in state: inout State) {
        for shop in before {
            state.numbersByShop[shop]?.remove(number)
            if state.numbersByShop[shop]?.isEmpty ?? false { state.numbersByShop[shop] = nil }
        }
        for shop in after { state.numbersByShop[shop, default: []].insert(number) }
    }
}

extension LiveHub {
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
                // Other tasks run between the pages of a long part without events for this stream.
                await Task.yield()
            case .wait: await wait(number)
            }
        }
    }

    func isIdle(_ number: UInt64) -> Bool { state.withLock { $0.feeds[number]?.isIdle ?? false } }

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

    private func load(_ account: AccountID, after start: Position, _ number: UInt64) async throws {
        let routed = state.withLock { $0.routed }
        // The hub may have routed the session's end between the check of the token and the opening of the stream, so it is read from the
        // log. A later end reaches the feed as an event.
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

    func read(_ interest: LiveInterest, _ after: Position, _ through: Position, _ number: UInt64) throws -> [Fact] {
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
