internal import CommandService
internal import Dispatch
internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Synchronization

/// A node's place in its cluster: one thread tells the others about it, and takes the writer's place or gives it up.
///
/// A failure between a claim and the first command ends the process, so that nothing is half done.
package final class Seat: Sendable {
    /// How the service fills the place. One thread calls.
    struct Acts: Sendable {
        /// Copies the shared log. The closure is called once, if that has stopped for good.
        var follow: @Sendable (_ onFailure: @escaping @Sendable (EventLogError) -> Void) throws -> Following
        /// Finishes what a follower has left, and makes the writer of one term.
        var write: @Sendable (any BatchDurability) throws -> WriterSeat
        /// Nil while this node does not write.
        var carry: @Sendable ((any Courier)?) -> Void
        /// Takes note of the shared log's term.
        var note: @Sendable (_ term: UInt64) -> Void
        var isDamaged: @Sendable () -> Bool
        /// Whether the keys are an older copy.
        var lacksKeys: @Sendable () throws -> Bool
        /// Keys that no node has are given up.
        var acceptsLostKeys = false
    }

    /// Belongs to the thread.
    private struct Turn {
        var rules = SeatRules()
        var term: (number: UInt64, commit: SharedCommit)?
        var hindrance: String? = "it has just started."
        /// `all` that events ask for, and the `ends` of sessions and keys alone, for which no key is missing.
        var (all, ends) = (Currency(), Currency())
        var keysLackUntil: ContinuousClock.Instant?
        var trimAt = ContinuousClock.now
        /// The shared log's head as it was seen at most.
        var newest = Position.start
        /// Since when a value that no node has written stands in place of the writer's name.
        var foreignSince: ContinuousClock.Instant?
    }

    private struct Known {
        var view = PresenceView()
        var hindrance: String?
        /// When this node knew all ended sessions and erased accounts; nil before the first time.
        var currentAt: ContinuousClock.Instant?
        var term: UInt64 = 0
        var answeredAt = ContinuousClock.now
        var failure: String?
        var foreign: (text: String, at: ContinuousClock.Instant)?
        /// The share of the room in the shared log that is used.
        var usedShare = 0.0
        /// The final reason why entries could not be removed.
        var trimFailure: String?
    }

    let parts: ClusterParts
    let peers: Peers
    private let log: EventLog
    private let keyStore: KeyStore
    private let place: Place
    private let clock: any Clock
    private let randomness: any Randomness
    private let duePeriodSeconds: Double?
    private let failStop: FailStop
    private let acts: Acts
    private let turn = Mutex(Turn())
    private let known = Mutex(Known())
    /// Grows with each beat that knows a writer.
    let writerSignal = HeadSignal()
    private let isStopping = Atomic(false)
    private let wake = ThreadSemaphore()
    private let ended = DispatchGroup()

    /// Follows the shared log at once.
    ///
    /// - Parameter clock: the machine's.
    @available(*, noasync)
    init(
        _ parts: ClusterParts, _ peers: Peers, log: EventLog, keyStore: KeyStore, place: Place, clock: any Clock,
        randomness: any Randomness, duePeriodSeconds: Double?, _ failStop: FailStop, _ acts: Acts
    ) throws {
        (self.parts, self.peers, self.log, self.keyStore, self.place) = (parts, peers, log, keyStore, place)
        (self.clock, self.randomness, self.duePeriodSeconds) = (clock, randomness, duePeriodSeconds)
        (self.failStop, self.acts) = (failStop, acts)
        turn.withLock { $0.rules.settleSeconds = parts.settleSeconds }
        // The keys of a node by itself, and of one that wrote, are complete, unless they were copied before the log was.
        if try !keyStore.hasFollowed { try keyStore.noteFollowed(acts.lacksKeys() ? .start : log.head, in: log) }
        try follow()
    }

    /// Call at most once.
    func start() {
        guard let beatSeconds = parts.beatSeconds else { return }
        AwaitedThread.start("seat", in: ended) { [self] in
            while !isStopping.load(ordering: .acquiring) { _ = wake.wait(seconds: min(beatSeconds, step())) }
        }
    }

    /// Ends the thread, finishes waiting commands, and lets another node write at once. Blocks.
    @available(*, noasync)
    func close() {
        isStopping.store(true, ordering: .releasing)
        wake.signal()
        peers.stop()
        ended.wait()
        place.writer?.stop()
        place.following?.stop()
        // Otherwise the leases end by themselves.
        try? parts.presence.leave()
    }

    /// One beat, and what follows from it. Only one thread may call. Blocks.
    ///
    /// - Returns: seconds until the next.
    @available(*, noasync)
    @discardableResult
    package func step(now: ContinuousClock.Instant = .now) -> Double {
        // Without beats, another node takes over from a writer that has failed.
        if failStop.reason != nil { return Limits.beatSeconds }
        return turn.withLock { turn in
            do throws(EventLogError) { try beat(&turn, now) } catch {
                turn.rules.reset()
                known.withLock { $0.failure = error.detail }
            }
            return turn.rules.isNearClaim ? Limits.claimSecondsPerRank : Limits.beatSeconds
        }
    }
}

extension Seat {
    @available(*, noasync)
    private func beat(_ turn: inout Turn, _ now: ContinuousClock.Instant) throws(EventLogError) {
        // A disk that hangs stops no beat, so the place would stay taken.
        let isWriting = turn.term != nil && hungSeconds(turn) == nil
        let view = try parts.presence.beat(note(turn), writes: isWriting)
        try expel(view.foreign, &turn, now, writes: isWriting)
        // After a claim without an answer, or a withdrawal without one, the beats would name this node as the writer for ever.
        if !isWriting, view.writer == parts.own.name { try parts.presence.resign() }
        // Also by a writer: after a freeze it can be named again, in place of the one that has replaced it.
        let head = try parts.log.head()
        let node = node(&turn, head, view, now)
        turn.hindrance = node.note.hindrance
        let term = head?.term ?? turn.term?.number ?? 0
        peers.update(view, term: term)
        acts.note(term)
        // The term: a writer has ended all by itself until another one claims.
        let currentAt = turn.term.map { $0.number == head?.term } == true ? now : turn.ends.at
        known.withLock { known in
            (known.view, known.hindrance, known.answeredAt, known.failure) = (view, turn.hindrance, .now, nil)
            known.currentAt = currentAt ?? known.currentAt
        }
        switch turn.rules.next(view, node, now: now) {
        case .follow: refollow(head)
        case .claim: claim(&turn, head?.position ?? .start, now)
        case .write: trim(&turn, view, now)
        case .handOver: handOver(&turn, now)
        case .end:
            let detail = "\(head.map { "\($0)" } ?? "nobody") has taken over from term \(turn.term?.number ?? 0)."
            failStop.trip(WriterEnd(EventLogError(.superseded, detail)))
        }
        if place.writer != nil || peers.writer != nil { writerSignal.publish(writerSignal.head.next) }
    }

    private func note(_ turn: Turn) -> NodeNote {
        var note = parts.own
        (note.clock, note.position, note.hindrance) = (clock.now().microseconds, log.head.rawValue, turn.hindrance)
        note.erasedThrough = place.following?.eventStatus.erasedThrough.rawValue ?? note.position
        return note
    }

    private func node(_ turn: inout Turn, _ head: Head?, _ view: PresenceView, _ now: ContinuousClock.Instant) -> SeatRules.Node {
        var node = SeatRules.Node(note: note(turn), term: turn.term?.number, head: head, followed: .start)
        (node.isDamaged, node.hungSeconds, node.newest) = (acts.isDamaged(), hungSeconds(turn), turn.newest)
        // In a later term, the events beyond its head were given up.
        if let end = parts.knownEnd, let head, head.term <= end.term { node.newest = max(node.newest, end.position) }
        turn.newest = max(turn.newest, head?.position ?? .start, Position(view.nodes.values.map(\.position).max() ?? 0))
        guard let following = place.following else {
            node.note.hindrance = SeatRules.hindrance(ofWriter: node)
            return node
        }
        let status = following.eventStatus
        node.followed = min(status.position, status.erasedThrough, status.sessionsEndedThrough)
        if let head {
            turn.all.note(node.followed, of: head.position, now)
            turn.ends.note(min(status.erasedThrough, status.sessionsEndedThrough), of: head.position, now)
        }
        node.secondsBehind = turn.all.at.map { (now - $0) / .seconds(1) }
        if let failure = following.failure, failure.isFinal { node.failure = "\(failure.error)" }
        node.obstacle = following.failure?.error.detail ?? status.failure?.reason
        if let until = turn.keysLackUntil, now < until { node.failure = node.failure ?? Self.olderKeys }
        do { node.lackingKeys = try acts.acceptsLostKeys ? 0 : lackingKeys() } catch { node.failure = node.failure ?? "its keys: \(error)" }
        node.note.hindrance = SeatRules.hindrance(of: node, in: view)
        return node
    }

    private func hungSeconds(_ turn: Turn) -> Double? {
        turn.term?.commit.localCommitSeconds().flatMap { $0 > parts.commitSecondsMax ? $0 : nil }
    }

    /// The accounts and shops without a key, as far as one question for keys asks.
    private func lackingKeys() throws -> Int {
        let (awaited, past) = (try keyStore.awaitedHolders(limit: Limits.askedHoldersMax), LogPast(log))
        return try keyStore.lacking(awaited).count { holder in
            guard try past.account(holder) != nil || past.shop(ShopID(holder.value)) != nil else { return false }
            return try !past.isErased(holder: holder)
        }
    }

    /// Ends a value that no node has written, because nobody could claim. The writer does so first.
    private func expel(
        _ foreign: [UInt8]?, _ turn: inout Turn, _ now: ContinuousClock.Instant, writes: Bool
    ) throws(EventLogError) {
        guard let foreign else { return turn.foreignSince = nil }
        let since = turn.foreignSince ?? now
        turn.foreignSince = since
        let text = String(decoding: foreign.prefix(Self.foreignBytesMax), as: UTF8.self)
        known.withLock { $0.foreign = (text, .now) }
        if writes || (now - since) / .seconds(1) >= Limits.foreignSecondsMin { try parts.presence.expel(foreign, writes: writes) }
    }

    private static let foreignBytesMax = 60
    private static let olderKeys = "its keys are an older copy than its log. Restore newer ones."
}

extension Seat {
    /// - Throws: the storage's errors.
    @available(*, noasync)
    private func follow() throws {
        let following = try acts.follow { [failStop] error in
            // The engine may get its log back, and reads go on until then.
            if error.code != .engineBehind { failStop.trip(WriterEnd(error)) }
        }
        place.follow(following)
        following.start()
    }

    /// Follows again if the shared log had lost events and has them now.
    @available(*, noasync)
    private func refollow(_ head: Head?) {
        guard let head, let following = place.following, following.failure?.isFinal == true, head.position >= log.head else { return }
        following.stop()
        orEnd { try follow() }
    }

    /// Takes the writer's place, or follows on.
    ///
    /// - Parameter position: through which this node has followed all. A later event may lack its keys and pictures here.
    @available(*, noasync)
    private func claim(_ turn: inout Turn, _ position: Position, _ now: ContinuousClock.Instant) {
        guard !isStopping.load(ordering: .acquiring), let following = place.following else { return }
        // Searches many events, so it comes last.
        if (try? acts.lacksKeys()) != false {
            turn.keysLackUntil = now + .seconds(Limits.awaitedRetrySeconds)
            return
        }
        let commit = SharedCommit(
            parts.log, key: EntryKey(secret: keyStore.keys.entrySecret, log: log.origin), process: randomness.next())
        // Before the claim, which wakes the follower.
        following.beginStop()
        do throws(EventLogError) {
            commit.giveUp(afterSeconds: Limits.claimSecondsMax)
            let head = try commit.claim(as: parts.own.name, at: position, root: log.root(through: position))
            orEnd { try write(&turn, head, commit, after: following) }
        } catch {
            // Another history of the same length: a follower would find nothing to refuse.
            if error.code == .logMismatch { return failStop.trip(WriterEnd(error)) }
            // If the outcome is unknown, nobody writes in that term.
            following.stop()
            orEnd { try follow() }
        }
    }

    /// A crash in here leaves a term without events, and another node claims the next.
    @available(*, noasync)
    private func write(_ turn: inout Turn, _ head: Head, _ commit: SharedCommit, after following: Following) throws {
        place.leave()
        // From here on, no delivery of an earlier writer is taken.
        acts.note(head.term)
        let writer = try whileBeating(note(turn)) {
            following.stop()
            return try acts.write(commit)
        }
        acts.carry(peers.courier(term: head.term))
        writer.start(duePeriodSeconds: duePeriodSeconds)
        place.write(writer)
        turn.term = (head.term, commit)
        turn.hindrance = nil
        known.withLock { ($0.term, $0.hindrance) = (head.term, nil) }
        // Otherwise the next beat names this node.
        _ = try? parts.presence.beat(note(turn), writes: true)
    }

    /// Beats as the writer until the closure returns: otherwise another node would claim meanwhile.
    @available(*, noasync)
    private func whileBeating<Value>(_ note: NodeNote, _ act: () throws -> Value) rethrows -> Value {
        guard let seconds = parts.beatSeconds else { return try act() }
        let (wake, ended, end) = (ThreadSemaphore(), DispatchGroup(), ContinuousClock.now + .seconds(Limits.claimWriteSecondsMax))
        AwaitedThread.start("claim's beats", in: ended) { [presence = parts.presence] in
            while !wake.wait(seconds: seconds), .now < end { _ = try? presence.beat(note, writes: true) }
        }
        defer {
            wake.signal()
            ended.wait()
        }
        return try act()
    }

    @available(*, noasync)
    private func handOver(_ turn: inout Turn, _ now: ContinuousClock.Instant) {
        guard let writer = place.writer else { return }
        place.leave()
        guard writer.handOver() else { return }
        acts.carry(nil)
        (turn.term, turn.all, turn.ends) = (nil, Currency(at: now), Currency(at: now))
        orEnd {
            try keyStore.noteFollowed(log.head, in: log)
            try follow()
        }
        // Otherwise the next beat withdraws it.
        try? parts.presence.resign()
    }

    /// Removes entries that two nodes have, on a thread of its own: beats must not wait for it. A failure is repeated by the next.
    private func trim(_ turn: inout Turn, _ view: PresenceView, _ now: ContinuousClock.Instant) {
        guard let commit = turn.term?.commit, let writer = place.writer, now >= turn.trimAt else { return }
        turn.trimAt = now + .seconds(Limits.trimPeriodSeconds)
        // Without a second node nothing is removed, but etcd's own history.
        let second = view.nodes.values.map { $0.position }.sorted().dropLast().last ?? 0
        DispatchQueue.global().async { [self, bytes = parts.untrimmedBytes] in
            var failure: String?
            do throws(EventLogError) { try commit.trim(onTwoDisks: Position(second), keeping: bytes.lowerBound) } catch {
                // Without an answer, the next attempt may succeed.
                if error.code != .unreachable { failure = error.detail }
            }
            let untrimmed = commit.untrimmedBytes
            writer.isFull.store(untrimmed > bytes.upperBound, ordering: .relaxed)
            known.withLock { ($0.trimFailure, $0.usedShare) = (failure, Double(untrimmed) / Double(bytes.upperBound)) }
        }
    }

    private func orEnd(_ act: () throws -> Void) {
        do { try act() } catch { failStop.trip(WriterEnd(error)) }
    }
}

extension Seat {
    /// Whether this node may not know of sessions that ended, or accounts that were erased, more than ``Limits/staleSecondsMax`` ago.
    package func isStale(now: ContinuousClock.Instant = .now) -> Bool {
        known.withLock { $0.currentAt }.map { (now - $0) / .seconds(1) > Limits.staleSecondsMax } ?? true
    }

    /// The other nodes of the last beat, the writer first; nil before this node has known all.
    var others: [any PeerNode]? { known.withLock { $0.currentAt } == nil ? nil : peers.all }

    var status: ClusterStatus {
        let known = known.withLock { $0 }
        let role: ClusterStatus.Role = place.writer != nil ? .writer : place.following != nil ? .follower : .changing
        let foreign = known.foreign.flatMap { (.now - $0.at) / .seconds(1) < Limits.foreignNamedSeconds ? $0.text : nil }
        return ClusterStatus(
            node: "\(parts.own.name)", role: role, writer: role == .writer ? "\(parts.own.name)" : known.view.writer.map { "\($0)" },
            term: known.term, silentSeconds: (.now - known.answeredAt) / .seconds(1), failure: known.failure,
            nodes: known.view.nodes.values.sorted { $0.name.description < $1.name.description }.map { note in
                ClusterStatus.Node(
                    name: "\(note.name)", url: note.url, version: note.version, position: note.position,
                    hindrance: note.name == parts.own.name ? known.hindrance : note.hindrance,
                    hasOtherSettings: note.settings != parts.own.settings)
            }, foreignWriter: foreign, usedShare: role == .writer ? known.usedShare : 0,
            trimFailure: role == .writer ? known.trimFailure : nil)
    }
}

/// The last time at which a node had followed all events of the shared log.
private struct Currency {
    /// A head that the node had not followed yet.
    private var ahead: (position: Position, at: ContinuousClock.Instant)?
    private(set) var at: ContinuousClock.Instant?

    init(at: ContinuousClock.Instant? = nil) { self.at = at }

    mutating func note(_ followed: Position, of head: Position, _ now: ContinuousClock.Instant) {
        if let found = ahead, followed >= found.position { (at, ahead) = (found.at, nil) }
        if followed >= head { at = now }
        ahead = ahead ?? (head, now)
    }
}
