internal import Caches
public import CommandService
package import CoreMetrics
import Dispatch
public import EventLog
public import Images
import LMDB
public import Loyalty
public import LoyaltyCodec
internal import Projections
public import ReadModels
public import Search
import Synchronization
package import Tracing

/// The opened service: one log, its writer, its read models and its keys.
///
/// A method offers a `Command` to the writer's queue and awaits the durable acceptance. Only the account's own reads wait for read models,
/// see ``ownWrites``. A node that follows another one has no writer: it refuses commands (`.notWriter`), and its log grows by the other's
/// events.
///
/// Any task may call any method, except `close`, which MUST be called last and once.
public final class GreenTea: Sendable {
    public let log: EventLog
    public let models: ReadModels
    public let discovery: Discovery
    public let images: ImageStore
    public let keys: Keys
    /// Does not go back while the process runs.
    public let clock: any Clock
    public let verifications: Verifications
    public let checkpoints: CheckpointKeeper
    public let live: LiveHub
    public let ownWrites = OwnWrites()
    let keyStore: KeyStore
    let operators: Set<E164Number>
    /// Keep a registration with a number and a change to it apart.
    let numberLocks = NumberLocks()
    /// Begun with a code by text message; by start on the steady clock.
    let freshSessions = Mutex(GenerationalCache<SessionID, Instant>(limit: Limits.freshSessionsMax))
    let duePhones: DuePhones
    let feedbackGiven = PositionList(of: .feedbackGiven)
    let avatars = AvatarList()
    /// Taken down, or ever named by shops and campaigns.
    package let pictures = PictureList()
    /// Tests pass a repeatable one.
    package let randomness: any Randomness
    let passwords: PasswordHasher
    let place = Place()
    /// Set at most once, by the initializer.
    let joined = Mutex<Seat?>(nil)
    package let sessionEndings = SessionEndings()
    /// Nil unless this node writes for a cluster.
    let courier = Mutex<(any Courier)?>(nil)
    let newestTerm = Atomic<UInt64>(0)
    let failStop: FailStop
    let found: FoundDamage
    /// nil if requests are not traced.
    private let tracer: (any Tracer)?
    let forward: ForwardClock
    /// Called first by ``close()``.
    private let closingActs = Mutex<[@Sendable () -> Void]>([])

    /// Opens or creates a data folder and starts the writer and the models. Takes the folder's writer lock, so that only one process has it
    /// open.
    ///
    /// - Parameters:
    ///   - cachedEntitiesMax: for each kind. Tests make it tiny.
    ///   - passwords: the cost of hashing. Tests make it cheap.
    ///   - makesRootSecret: see `KeyStore.init`.
    ///   - operators: phone numbers; no event gives this role.
    ///   - pictures: the program that decodes pictures. By default the running one, which must then be `greentea`.
    ///   - duePeriodSeconds: between two passes of the scheduler; nil for passes by ``runDue()`` only.
    ///   - leader: makes the node to follow, with this folder's keys and the log's name; nil for the writer.
    ///   - cluster: makes what connects this node with its cluster; nil for a node by itself.
    /// - Throws: errors of the storage, each with its remedy.
    @available(*, noasync)
    package init(
        data: DataFolder, master: MasterSecret, clock: any Clock = SystemClock(), randomness: any Randomness = SystemRandomness(),
        queueLimit: Int = LogLimits.waitingRequestsMax, cachedEntitiesMax: Int = Limits.cachedEntitiesMax,
        durability: any BatchDurability = LocalCommit(), passwords: PasswordCost = .current, makesRootSecret: Bool = false,
        operators: Set<E164Number> = [], proving: ProvingOptions = .init(), metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        pictures: PictureProgram = .own, maps: MapLimits = .init(), tracer: (any Tracer)? = nil,
        duePeriodSeconds: Double? = Limits.duePeriodSeconds, leader: LeaderMaker? = nil, cluster: ClusterMaker? = nil
    ) throws {
        (self.randomness, self.tracer) = (randomness, tracer)
        let found = FoundDamage(acceptsDamagedLog: proving.acceptsDamagedLog)
        self.found = found
        var options = EventLog.Options()
        options.durability = MeasuredDurability(durability, by: metrics)
        (options.origin, options.map) = (proving.origin, maps.log)
        options.walkBytesHeld = LogLimits.walkBytesHeld
        let now = clock.now()
        // Before anything is created, so that the operator can still put the right keys into the folder.
        if !proving.acceptsLostKeys { try KeyStore.requireKeys(of: data) }
        try proving.requireLog(of: data)
        log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite,
            created: Timestamp(microseconds: now.microseconds), options: options)
        let accepting = try proving.accepting(Timestamp(microseconds: now.microseconds), log, in: data)
        let forward = ForwardClock(clock, notBefore: try Self.latestTime(in: log, now: now))
        (self.clock, self.forward) = (forward, forward)
        self.passwords = PasswordHasher(cost: passwords, clock: forward)
        verifications = Verifications(randomness: randomness, clock: forward)
        keyStore = try KeyStore(directory: data.keys, master: master, randomness: randomness, makesRoot: makesRootSecret, map: maps.keys)
        keys = keyStore.keys
        self.operators = operators
        if !proving.acceptsLostKeys { try keyStore.requireOwner(log, in: data) }
        duePhones = DuePhones(try keyStore.finishInterrupted(in: log))
        if leader == nil, cluster == nil { try keyStore.finishFollowing(in: log) }
        // After the keys, so that a wrong master secret is not reported as a forged checkpoint.
        checkpoints = try CheckpointKeeper(
            log: log, path: data.checkpoint, seed: keys.checkpointSeed,
            accepting: accepting, acceptance: ProvingOptions.acceptance)
        // Helps tools only; a later start writes the note again.
        try? keyStore.noteOwner(checkpoints.verifierKey)
        images = ImageStore(blobs: data.blobs, thumbnails: data.thumbnails, program: pictures) { [keys] in
            keys.picture(digest: $0, sentBy: $1)
        }
        discovery = try Discovery(directory: data.models, log: log) { [keyStore] in try keyStore.key(of: $0.keyHolder) }
        models = try ReadModels(directory: data.models, log: log, others: [discovery.waiting(for: log)], map: maps.model)
        live = LiveHub(log: log, models: models, clock: forward)
        let failStop = FailStop()
        self.failStop = failStop
        let alerts = SearchAlerts(models, discovery, keyStore)
        let makeWriter: @Sendable (WriterSeat.Term?) throws -> WriterSeat = { [log, models] term in
            let idle = try IdleRequests(clock: forward, path: data.idleRequests, of: log)
            if term != nil { try idle.forgetAll() }
            return WriterSeat(
                log, models, clock: forward, randomness: randomness, queueLimit: queueLimit, cachedEntitiesMax: cachedEntitiesMax,
                idle: idle, term: term, timers: DeciderTimers(metrics), alerts: alerts, failStop, found)
        }
        if let cluster {
            try join(try cluster(keys, log.origin), clock, duePeriodSeconds, acceptsLostKeys: proving.acceptsLostKeys, metrics, makeWriter)
        } else if let leader {
            try follow(try leader(keys, log.origin))
        } else {
            let writer = try makeWriter(nil)
            place.write(writer)
            writer.start(duePeriodSeconds: duePeriodSeconds)
        }
        checkpoints.start(onFailure: proving.onFailure)
    }

    private func offer(_ submission: Submission, to seat: WriterSeat) async -> WriterSeat.Outcome {
        if found.refusesEvents { return .failure(.stopped) }
        guard let tracer, let context = InstrumentationContext.current else { return await seat.outcome(of: submission) }
        let times = CommandTimes()
        var submission = submission
        submission.times = times
        let outcome = await seat.outcome(of: submission) { times.noteDurable() }
        times.record(on: tracer, context)
        return outcome
    }

    /// Submits a command. A command that needs no new id, key or sealed text has no other method here.
    ///
    /// A cancelled task's command is still carried out.
    public func submit(_ command: Command, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        let seat = try requireSeat()
        if seat.isFull.load(ordering: .relaxed) { throw .overloaded }
        let outcome = await offer(Submission(command: command, caller: caller, at: at), to: seat)
        let acceptance: Acceptance
        switch outcome {
        case .success(let decided): acceptance = try decided.get()
        case .failure(let refusal): throw seat.error(of: refusal)
        }
        ownWrites.note(acceptance, of: caller.account)
        return acceptance
    }

    /// Nil while another node writes.
    var seat: WriterSeat? { place.writer }

    /// Nil without a cluster.
    package var member: Seat? { joined.withLock { $0 } }

    /// Call it before anything is changed for a command beside the log.
    ///
    /// - Throws: `.notWriter` while another node writes.
    @discardableResult
    func requireSeat() throws(ServiceError) -> WriterSeat {
        guard let seat else { throw .notWriter }
        return seat
    }

    /// Waits at most two seconds until models for reports, which may lag, have reached the log's present head.
    @discardableResult
    public func catchUp(_ names: String...) async -> Bool {
        await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax, in: Set(names))
    }

    /// Whether the request was accepted before, so that it gets the same answer.
    ///
    /// - Throws: `.idempotencyKeyReused` if the key was used for another request.
    public func isAnswered(_ caller: Caller) throws(ServiceError) -> Bool {
        guard let mark = caller.mark else { return false }
        var isSame = seat?.idle.find(mark)?.isSame
        if isSame == nil, let earlier = try reading({ try $0.facts(ofRequest: mark.request) }) { isSame = mark.isSame(as: earlier.digest) }
        if isSame == false { throw .idempotencyKeyReused }
        return isSame != nil
    }

    /// nil also if the request was forgotten.
    public func timeOfUnchanging(_ caller: Caller) -> Instant? { caller.mark.flatMap { seat?.idle.find($0)?.time } }

    public var past: LogPast<EventLog> { LogPast(log) }

    public func past(through position: Position) -> LogPast<EventLog> { LogPast(log, through: position) }

    public var queueDepth: Int { seat?.writer.depth ?? 0 }

    /// The node that is followed; nil at the writer.
    package var leader: (any LeadingNode)? { place.following?.leader }

    /// The copying of its log.
    public var followingStatus: FollowingStatus? { place.following?.status }

    /// Why the writer, or the copying, stopped for good; the process should then exit.
    public var failure: String? { failStop.reason?.reason }

    /// `nil` if the waiting task is cancelled first.
    public func awaitFailure() async -> WriterEnd? { await failStop.wait() }

    /// Seconds ahead of the machine's clock, which was set back.
    public var clockLeadSeconds: Double { Double(forward.leadMicroseconds) / 1e6 }

    /// Seconds by which the machine's clock was set ahead since the start.
    public var clockGainSeconds: Double { Double(forward.gainMicroseconds) / 1e6 }

    /// Seconds since the scheduler's thread was last seen at work; 0 if there is none.
    public var schedulerSilentSeconds: Double { seat?.scheduler.silentSeconds ?? 0 }

    /// The reason why something that is due could not be recorded, and since when.
    public var schedulerFailure: (reason: String, seconds: Double)? { seat?.scheduler.failure }

    /// The closure ends something that reads the log. ``close()`` calls it once and first.
    public func atClosing(_ act: @escaping @Sendable () -> Void) { closingActs.withLock { $0.append(act) } }

    /// Finishes waiting commands, and stops the writer, the models and the log's threads. Blocks. Files close with the last reference to
    /// the service.
    ///
    /// - Throws: an error of storing derived data. The log is durable in any case.
    @available(*, noasync)
    public func close() throws {
        let acts = closingActs.withLock { acts in
            defer { acts = [] }
            return acts
        }
        for act in acts { act() }
        live.stop()
        images.close()
        if let member {
            member.close()
        } else {
            seat?.stop()
            place.following?.stop()
        }
        let checkpointsClosed = Result { try checkpoints.close() }
        let modelsClosed = Result { try models.close() }
        try log.close()
        try modelsClosed.get()
        try checkpointsClosed.get()
    }

    /// The latest of the clock's time and the newest events' plausible times. A fast clock may have stamped any of them, not only the last.
    static func latestTime(in log: EventLog, now: Instant) throws -> Instant {
        let head = log.head.rawValue
        let plausible = now.microseconds + Limits.clockLeadMicrosecondsMax
        var latest = now.microseconds
        try log.scan(after: Position(head - min(head, Limits.clockEventsReadMax))) { _, record in
            let time = record.time.microseconds
            if time <= plausible { latest = max(latest, time) }
            return true
        }
        return Instant(microseconds: latest)
    }

    func newID<Noun>(_ noun: Noun.Type = Noun.self) -> ID<Noun> {
        ID(UUIDv7.make(at: clock.now(), random: (randomness.next(), randomness.next())))
    }
}

extension GreenTea {
    /// Reads single things directly from the log.
    ///
    /// - Throws: a `ServiceError` of `body` unchanged; any other error as `.failed`.
    public func reading<Value>(
        through position: Position? = nil, _ body: (LogPast<EventLog>) throws -> Value
    ) throws(ServiceError) -> Value {
        do {
            return try body(LogPast(log, through: position))
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(storage: error)
        }
    }
}

extension GreenTea {
    /// Triggers all that is due, and waits until the read models include the events.
    ///
    /// - Returns: the number of recorded events.
    @discardableResult
    package func runDue() async throws -> Int {
        _ = await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax)
        let seat = try requireSeat()
        let recorded = try await blocking { try seat.scheduler.pass() }
        _ = await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax)
        return recorded
    }
}

/// The largest sizes of a data folder's files, with the names of their settings.
public struct MapLimits: Sendable {
    public var log = MapLimit(setting: "--log-map-gib (GREENTEA_LOG_MAP_GIB)")
    public var keys = MapLimit(setting: "--keys-map-gib (GREENTEA_KEYS_MAP_GIB)")
    public var model = MapLimit(setting: "--model-map-gib (GREENTEA_MODEL_MAP_GIB)")

    public init() {}
}

extension GreenTea {
    /// The log's newest accounts without a key. If there are any, the key store is an older copy.
    public var lackingKeys: LackingKeys { get throws { try keyStore.lackingKeys(of: log) } }

    public var maps: [MapUsage] { [log.mapUsage] + [keyStore.mapUsage].compactMap(\.self) + models.status.compactMap(\.map) }
}

extension DataFolder {
    /// Durably, readable for its owner only.
    ///
    /// - Throws: the storage's `LMDBError`.
    public func make() throws { try DurableNames.makeFolder(path, mode: 0o700, above: 0o755) }
}

/// Threads of tasks must not wait for a disk.
package func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let meter = ReadMeter.current
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Result { try ReadMeter.running(under: meter, work) })
        }
    }
}
