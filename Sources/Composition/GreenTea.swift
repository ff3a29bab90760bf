internal import Caches
public import CommandService
public import CoreMetrics
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
public import Tracing

/// The opened service: one log, its writer, its read models and its keys.
///
/// A command is carried out in this way: a method of this type builds the `Command`, offers it to the writer's queue, and awaits the
/// acceptance, which is durable by then. Ids, secrets and sealed texts are made here, with the clock and the randomness that were passed
/// in. No answer to a write waits for read models: ``ownWrites`` has the position for which the account's next read must wait.
///
/// Any task may call any method, except `close`, which MUST be called last and once.
public final class GreenTea: Sendable {
    public let log: EventLog
    public let models: ReadModels
    /// The search for shops and campaigns, and the favourites. It follows the log like the other models.
    public let discovery: Discovery
    /// The store of pictures of shops, campaigns and people.
    public let images: ImageStore
    public let keys: Keys
    /// The clock that was passed in, changed so that it does not go back while the process runs.
    public let clock: any Clock
    public let verifications: Verifications
    /// The log's signed checkpoints.
    public let checkpoints: CheckpointKeeper
    /// The hub that delivers events to the streams of signed-in people.
    public let live: LiveHub
    /// The position of each account's last accepted write. The account's next read waits for it.
    public let ownWrites = OwnWrites()
    let keyStore: KeyStore
    /// The phone numbers of operators.
    let operators: Set<E164Number>
    /// The locks on phone numbers. They keep a registration with a number and a change to the same number from running at the same time.
    let numberLocks = NumberLocks()
    /// Recent sessions that began with a code by text message, and for each the time at which it began, on the steady clock.
    let freshSessions = Mutex(GenerationalCache<SessionID, Instant>(limit: Limits.freshSessionsMax))
    /// The accounts for which an operator requested another number, and the time at which it comes into force.
    let duePhones: DuePhones
    /// The positions of the events of feedback, for the operators' list.
    let feedbackGiven = PositionList(of: .feedbackGiven)
    /// The accounts that show a picture in their profile, by picture.
    let avatars = AvatarList()
    /// The pictures that were taken down, and all pictures that shops and campaigns ever named.
    package let pictures = PictureList()
    /// The source of random numbers. Tests pass one that can be repeated.
    package let randomness: any Randomness
    let passwords: PasswordHasher
    /// The idempotency keys of accepted requests that added no event.
    let idle: IdleRequests
    private let writer: GroupCommit<CommandDecider>
    private let failStop: FailStop
    let found: FoundDamage
    /// The tracer; nil if requests are not traced.
    private let tracer: (any Tracer)?
    let forward: ForwardClock
    /// The closures that ``close()`` calls first.
    private let closingActs = Mutex<[@Sendable () -> Void]>([])
    /// The thread that triggers events whose time has come.
    let scheduler: Scheduler

    /// Opens or creates a data folder and starts the writer and the models. Takes the folder's writer lock, so that only one process at a
    /// time has the folder open.
    ///
    /// - Parameters:
    ///   - cachedEntitiesMax: the number of entities of each kind that the writer caches, see `Limits.cachedEntitiesMax`. Tests make it
    ///     tiny.
    ///   - passwords: the cost of hashing a password. Tests make it cheap.
    ///   - makesRootSecret: whether a new folder gets a root secret of its own, see `KeyStore.init`.
    ///   - operators: the phone numbers of the operators' accounts. Only the configuration gives this role; no event does.
    ///   - proving: the log's name, and the handling of its stored checkpoint.
    ///   - metrics: the factory for the writer's measurements.
    ///   - pictures: the program that decodes pictures. The default is the running program itself, which must then be `greentea`.
    ///   - maps: the largest sizes that files may grow to.
    ///   - tracer: makes spans of the stages of a traced request's command; nil if requests are not traced.
    ///   - duePeriodSeconds: seconds between two passes of the scheduler over the entries that are due. If nil, only ``runDue()`` makes
    ///     passes.
    /// - Throws: errors of the storage, each with its remedy: another process has the folder open, the folder has lost its log or its keys,
    ///   the log is damaged, the master secret is wrong, or the log is older than its checkpoint.
    @available(*, noasync)
    public init(
        data: DataFolder, master: MasterSecret, clock: any Clock = SystemClock(), randomness: any Randomness = SystemRandomness(),
        queueLimit: Int = LogLimits.waitingRequestsMax, cachedEntitiesMax: Int = Limits.cachedEntitiesMax,
        durability: any BatchDurability = LocalCommit(), passwords: PasswordCost = .current, makesRootSecret: Bool = false,
        operators: Set<E164Number> = [], proving: ProvingOptions = .init(), metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        pictures: PictureProgram = .own, maps: MapLimits = .init(), tracer: (any Tracer)? = nil,
        duePeriodSeconds: Double? = Limits.duePeriodSeconds
    ) throws {
        (self.randomness, self.tracer) = (randomness, tracer)
        let found = FoundDamage(acceptsDamagedLog: proving.acceptsDamagedLog)
        self.found = found
        var options = EventLog.Options()
        options.durability = MeasuredDurability(durability, by: metrics)
        (options.origin, options.map) = (proving.origin, maps.log)
        options.walkBytesHeld = LogLimits.walkBytesHeld
        let now = clock.now()
        // The keys are checked before anything is created. If the check fails, the folder is unchanged, and the operator can still put the
        // right keys into it.
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
        // The checkpoint is opened after the keys, so that a wrong master secret is reported as such and not as a forged checkpoint.
        checkpoints = try CheckpointKeeper(
            log: log, path: data.checkpoint, seed: keys.checkpointSeed,
            accepting: accepting, acceptance: ProvingOptions.acceptance)
        // The note says which log the keys belong to, and helps tools only. An error, such as a full disk, is ignored, because a later
        // start writes the note.
        try? keyStore.noteOwner(checkpoints.verifierKey)
        images = ImageStore(blobs: data.blobs, thumbnails: data.thumbnails, program: pictures) { [keys] in
            keys.picture(digest: $0, sentBy: $1)
        }
        discovery = try Discovery(directory: data.models, log: log) { [keyStore] in try keyStore.key(of: $0.keyHolder) }
        models = try ReadModels(directory: data.models, log: log, others: [discovery.waiting(for: log)], map: maps.model)
        live = LiveHub(log: log, models: models, clock: forward)
        let idle = try IdleRequests(clock: forward, path: data.idleRequests, of: log)
        self.idle = idle
        let failStop = FailStop()
        self.failStop = failStop
        let timers = DeciderTimers(metrics)
        writer = GroupCommit(log: log, queueLimit: queueLimit, onFailure: { failStop.trip(WriterEnd($0)) }) { appender in
            CommandDecider(appender, clock: forward, cachedEntitiesMax: cachedEntitiesMax, idle: idle, timers: timers)
        }
        let newNotice: @Sendable () -> NoticeID = {
            NoticeID(UUIDv7.make(at: forward.now(), random: (randomness.next(), randomness.next())))
        }
        scheduler = Scheduler(models, clock: forward, newNotice: newNotice) { [writer] submission, resume in
            if found.refusesEvents { return resume(.failure(.stopped)) }
            writer.offer(submission, resume: resume)
        }
        writer.start()
        if let duePeriodSeconds { scheduler.start(periodSeconds: duePeriodSeconds) }
        checkpoints.start(onFailure: proving.onFailure)
    }

    /// Offers a command, and makes spans of its stages if it belongs to a traced request.
    private func offer(_ submission: Submission) async throws(GroupCommitRefusal) -> Result<Acceptance, ServiceError> {
        if found.refusesEvents { throw .stopped }
        guard let tracer, let context = InstrumentationContext.current else { return try await writer.submit(submission) }
        let times = CommandTimes()
        var submission = submission
        submission.times = times
        let outcome = await withCheckedContinuation { continuation in
            writer.offer(submission) { outcome in
                times.noteDurable()
                continuation.resume(returning: outcome)
            }
        }
        times.record(on: tracer, context)
        return try outcome.get()
    }

    /// Offers one command and awaits its outcome. If the task is cancelled, the command is still carried out.
    public func submit(_ command: Command, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        let outcome: Result<Acceptance, ServiceError>
        do throws(GroupCommitRefusal) {
            outcome = try await offer(Submission(command: command, caller: caller, at: at))
        } catch {
            throw error == .queueFull ? .overloaded : .stopping
        }
        let acceptance = try outcome.get()
        ownWrites.note(acceptance, of: caller.account)
        return acceptance
    }

    /// Waits until a model for reports has reached the log's present head, but at most two seconds. A model for reports pauses between
    /// batches, so it may be behind. While it is built anew, it may be far behind.
    ///
    /// - Returns: whether the model reached that position.
    @discardableResult
    public func catchUp(_ model: String) async -> Bool {
        await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax, in: [model])
    }

    /// Whether the caller's request is a repetition of one that was accepted before, so that it gets the same answer.
    ///
    /// - Throws: `.idempotencyKeyReused` if the caller's key was used for another request.
    public func isAnswered(_ caller: Caller) throws(ServiceError) -> Bool {
        guard let mark = caller.mark else { return false }
        var isSame = idle.find(mark)?.isSame
        if isSame == nil, let earlier = try reading({ try $0.facts(ofRequest: mark.request) }) { isSame = mark.isSame(as: earlier.digest) }
        if isSame == false { throw .idempotencyKeyReused }
        return isSame != nil
    }

    /// The time at which a request with the caller's key was accepted and changed nothing. Nil if there is no such request, or if it was
    /// forgotten.
    public func timeOfUnchanging(_ caller: Caller) -> Instant? { caller.mark.flatMap { idle.find($0)?.time } }

    /// The state at the log's present head.
    public var past: LogPast<EventLog> { LogPast(log) }

    /// The state at a position of the log.
    public func past(through position: Position) -> LogPast<EventLog> { LogPast(log, through: position) }

    /// The number of commands that wait for the writer.
    public var queueDepth: Int { writer.depth }

    /// The reason why the writer stopped for good, or `nil` while it works. The process should exit if this is set.
    public var failure: String? { failStop.reason?.reason }

    /// Waits until the writer stops for good, and returns the reason; `nil` if the waiting task is cancelled first.
    public func awaitFailure() async -> WriterEnd? { await failStop.wait() }

    /// Seconds by which the service's clock is ahead of the machine's, because the machine's clock was set back; 0 if they agree.
    public var clockLeadSeconds: Double { Double(forward.leadMicroseconds) / 1e6 }

    /// Seconds by which the machine's clock was set ahead since the start. A clock that was ahead before the start is not noticed.
    public var clockGainSeconds: Double { Double(forward.gainMicroseconds) / 1e6 }

    /// Seconds since the thread that triggers what is due was last seen at work; 0 if there is none.
    public var schedulerSilentSeconds: Double { scheduler.silentSeconds }

    /// Adds a closure that ``close()`` calls once, before it stops anything. The closure ends something that reads the log.
    public func atClosing(_ act: @escaping @Sendable () -> Void) { closingActs.withLock { $0.append(act) } }

    /// Finishes waiting commands, and stops the writer, the models and the log's threads. Blocks. The files are closed when the last
    /// reference to the service is released.
    ///
    /// - Throws: an error of storing derived data, after everything was stopped. The log itself is durable in any case.
    @available(*, noasync)
    public func close() throws {
        let acts = closingActs.withLock { acts in
            defer { acts = [] }
            return acts
        }
        for act in acts { act() }
        live.stop()
        images.close()
        scheduler.stop()
        writer.stop()
        idle.close()
        let checkpointsClosed = Result { try checkpoints.close() }
        let modelsClosed = Result { try models.close() }
        try log.close()
        try modelsClosed.get()
        try checkpointsClosed.get()
    }

    /// The earliest time that the next event may have: the clock's time or the latest time of the newest events, whichever is later. Times
    /// that are implausibly far ahead are ignored.
    ///
    /// The newest event alone does not suffice. If the clock was fast, the scheduler's events have earlier times than events before them.
    private static func latestTime(in log: EventLog, now: Instant) throws -> Instant {
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

    /// A new id: a UUIDv7 of the present moment.
    func newID<Noun>(_ noun: Noun.Type = Noun.self) -> ID<Noun> {
        ID(UUIDv7.make(at: clock.now(), random: (randomness.next(), randomness.next())))
    }
}

extension GreenTea {
    /// Reads single things directly from the log, in their present state or as of a position.
    ///
    /// - Throws: a `ServiceError` that `body` throws, unchanged; any other error as `.failed`.
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
    /// Triggers everything that is due now, without waiting for the scheduler. Waits until the read models include the events.
    ///
    /// - Returns: the number of recorded events.
    @discardableResult
    package func runDue() async throws -> Int {
        _ = await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax)
        let recorded = try await blocking { [scheduler] in try scheduler.pass() }
        _ = await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax)
        return recorded
    }
}

/// The largest sizes to which the files of a data folder may grow, with the names of their settings.
public struct MapLimits: Sendable {
    /// The log's limit. The log keeps every event for ever.
    public var log = MapLimit(setting: "--log-map-gib (GREENTEA_LOG_MAP_GIB)")
    /// The limit of the key store, which holds the accounts' and shops' data keys.
    public var keys = MapLimit(setting: "--keys-map-gib (GREENTEA_KEYS_MAP_GIB)")
    /// The limit of each read model.
    public var model = MapLimit(setting: "--model-map-gib (GREENTEA_MODEL_MAP_GIB)")

    /// Creates the default limits.
    public init() {}
}

extension GreenTea {
    /// The log's newest accounts that have no key in the key store. If there are any, the key store is an older copy.
    public var lackingKeys: LackingKeys { get throws { try keyStore.lackingKeys(of: log) } }

    /// How much of the memory maps of the log, of the keys and of each read model is used.
    public var maps: [MapUsage] { [log.mapUsage] + [keyStore.mapUsage].compactMap(\.self) + models.status.compactMap(\.map) }
}

extension DataFolder {
    /// Creates the data folder, readable for its owner only, and missing folders above it. The new folders are durable when this returns.
    ///
    /// - Throws: the storage's `LMDBError`.
    public func make() throws { try DurableNames.makeFolder(path, mode: 0o700, above: 0o755) }
}

/// Runs work that waits for a disk on a thread of Dispatch, so that it does not block the threads of tasks.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let meter = ReadMeter.current
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Result { try ReadMeter.running(under: meter, work) })
        }
    }
}
