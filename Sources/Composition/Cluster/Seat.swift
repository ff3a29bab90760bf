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
        /// A head that this node had not followed yet.
        var ahead: (position: Position, at: ContinuousClock.Instant)?
        /// When there was nothing that this node has not followed.
        var currentAt: ContinuousClock.Instant?
        var keysLackUntil: ContinuousClock.Instant?
        var trimAt = ContinuousClock.now
    }

    private struct Known {
        var view = PresenceView()
        var hindrance: String?
        var term: UInt64 = 0
        var answeredAt = ContinuousClock.now
        var failure: String?
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
        let view = try parts.presence.beat(note(turn), writes: turn.term != nil)
        // After a claim without an answer, or a withdrawal without one, the beats would name this node as the writer for ever.
        if turn.term == nil, view.writer == parts.own.name { try parts.presence.resign() }
        // Also by a writer: after a freeze it can be named again, in place of the one that has replaced it.
        let head = try parts.log.head()
        let node = node(&turn, head, view, now)
        turn.hindrance = node.note.hindrance
        let term = head?.term ?? turn.term?.number ?? 0
        peers.update(view, term: term)
        acts.note(term)
        known.withLock { known in
            (known.view, known.hindrance, known.answeredAt, known.failure) = (view, turn.hindrance, .now, nil)
        }
        switch turn.rules.next(view, node, now: now) {
        case .follow: refollow(head)
        case .claim: claim(&turn, head?.position ?? .start, now)
        case .write: trim(&turn, view, now)
        case .handOver: handOver(&turn)
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
        node.isDamaged = acts.isDamaged()
        guard let following = place.following else { return node }
        let status = following.eventStatus
        node.followed = min(status.position, status.erasedThrough, status.sessionsEndedThrough)
        if let head {
            if let ahead = turn.ahead, node.followed >= ahead.position { (turn.currentAt, turn.ahead) = (ahead.at, nil) }
            if node.followed >= head.position { turn.currentAt = now }
            turn.ahead = turn.ahead ?? (head.position, now)
        }
        node.secondsBehind = turn.currentAt.map { (now - $0) / .seconds(1) }
        if let failure = following.failure, failure.isFinal { node.failure = "\(failure.error)" }
        node.obstacle = following.failure?.error.detail ?? status.failure?.reason
        if let until = turn.keysLackUntil, now < until { node.failure = node.failure ?? Self.olderKeys }
        do { node.lackingKeys = try acts.acceptsLostKeys ? 0 : lackingKeys() } catch { node.failure = node.failure ?? "its keys: \(error)" }
        node.note.hindrance = SeatRules.hindrance(of: node, in: view)
        return node
    }

    /// The accounts and shops without a key, as far as one question for keys asks.
    private func lackingKeys() throws -> Int {
        let (awaited, past) = (try keyStore.awaitedHolders(limit: Limits.askedHoldersMax), LogPast(log))
        return try keyStore.lacking(awaited).count { holder in
            guard try past.account(holder) != nil || past.shop(ShopID(holder.value)) != nil else { return false }
            return try !past.isErased(holder: holder)
        }
    }

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
        following.stop()
        let writer = try acts.write(commit)
        acts.carry(peers.courier(term: head.term))
        writer.start(duePeriodSeconds: duePeriodSeconds)
        place.write(writer)
        turn.term = (head.term, commit)
        turn.hindrance = nil
        known.withLock { ($0.term, $0.hindrance) = (head.term, nil) }
        // Otherwise the next beat names this node.
        _ = try? parts.presence.beat(note(turn), writes: true)
    }

    @available(*, noasync)
    private func handOver(_ turn: inout Turn) {
        guard let writer = place.writer else { return }
        place.leave()
        guard writer.handOver() else { return }
        acts.carry(nil)
        turn.term = nil
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
        DispatchQueue.global().async { [bytes = parts.untrimmedBytes] in
            try? commit.trim(onTwoDisks: Position(second), keeping: bytes.lowerBound)
            writer.isFull.store(commit.untrimmedBytes > bytes.upperBound, ordering: .relaxed)
        }
    }

    private func orEnd(_ act: () throws -> Void) {
        do { try act() } catch { failStop.trip(WriterEnd(error)) }
    }
}

extension Seat {
    var status: ClusterStatus {
        let known = known.withLock { $0 }
        let role: ClusterStatus.Role = place.writer != nil ? .writer : place.following != nil ? .follower : .changing
        return ClusterStatus(
            node: "\(parts.own.name)", role: role, writer: role == .writer ? "\(parts.own.name)" : known.view.writer.map { "\($0)" },
            term: known.term, silentSeconds: (.now - known.answeredAt) / .seconds(1), failure: known.failure,
            nodes: known.view.nodes.values.sorted { $0.name.description < $1.name.description }.map { note in
                ClusterStatus.Node(
                    name: "\(note.name)", url: note.url, version: note.version, position: note.position,
                    hindrance: note.name == parts.own.name ? known.hindrance : note.hindrance,
                    hasOtherSettings: note.settings != parts.own.settings)
            })
    }
}

/// The part that a node's service has now. Any thread may call.
final class Place: Sendable {
    private struct State {
        var writer: WriterSeat?
        var following: Following?
    }

    private let state = Mutex(State())

    /// Nil unless this node writes.
    var writer: WriterSeat? { state.withLock { $0.writer } }
    /// Nil unless this node follows.
    var following: Following? { state.withLock { $0.following } }

    func write(_ writer: WriterSeat) { state.withLock { ($0.writer, $0.following) = (writer, nil) } }
    func follow(_ following: Following) { state.withLock { ($0.writer, $0.following) = (nil, following) } }
    func leave() { state.withLock { ($0.writer, $0.following) = (nil, nil) } }
}
