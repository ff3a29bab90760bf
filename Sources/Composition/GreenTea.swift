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
/// Life of a command: a method of this type builds the `Command` (ids, secrets and sealed text are made here, from the clock
/// and the randomness that were handed in), offers it to the writer's queue, and awaits the acceptance, which is durable by
/// then. No answer waits for read models: ``ownWrites`` has the position that the account's next read has to wait for.
///
/// Concurrency: any task may call anything, `close` excepted, which comes last and once.
public final class GreenTea: Sendable {
    public let log: EventLog
    public let models: ReadModels
    /// Places, words and favourites: followed and awaited with the other models.
    public let discovery: Discovery
    /// Pictures of shops, campaigns and people.
    public let images: ImageStore
    public let keys: Keys
    /// The clock that was handed in, kept from going back while the process runs.
    public let clock: any Clock
    public let verifications: Verifications
    /// The log's signed checkpoints.
    public let checkpoints: CheckpointKeeper
    /// Events as they happen, for those who are signed in.
    public let live: LiveHub
    /// The position of each account's last accepted write, for its next read.
    public let ownWrites = OwnWrites()
    let keyStore: KeyStore
    /// The operators' phones.
    let operators: Set<E164Number>
    /// Keeps registrations and changes of numbers apart.
    let numberLocks = NumberLocks()
    /// Recent sessions that began with a code by text message, each with the time of its beginning by the monotonic clock.
    let freshSessions = Mutex(GenerationalCache<SessionID, Instant>(limit: Limits.freshSessionsMax))
    /// The positions of feedback, for operators.
    let feedbackGiven = PositionList(of: .feedbackGiven)
    /// The accounts that show a picture of themselves, by picture.
    let avatars = AvatarList()
    /// The pictures that were taken down, and those that shops ever named.
    package let pictures = PictureList()
    /// Unforeseeable numbers; those of a test can be repeated.
    package let randomness: any Randomness
    let passwords: PasswordHasher
    /// Requests that were accepted and changed nothing.
    let idle: IdleRequests
    private let writer: GroupCommit<CommandDecider>
    private let failStop: FailStop
    /// Nil where nothing is traced.
    private let tracer: (any Tracer)?
    let forward: ForwardClock
    /// The first acts of ``close()``.
    private let closingActs = Mutex<[@Sendable () -> Void]>([])
    /// Lets happen what is due.
    let scheduler: Scheduler

    /// Opens or creates a data folder and starts the writer and the models. Takes the folder's writer lock: one process at a time.
    ///
    /// - Parameters:
    ///   - cachedEntitiesMax: how many entities of each kind the writer caches, see `Limits.cachedEntitiesMax`; tests make it tiny.
    ///   - passwords: the cost of hashing one; tests make it cheap.
    ///   - makesRootSecret: whether a new folder gets a root secret of its own, see `KeyStore.init`.
    ///   - operators: phones of the operators' accounts; a role of the configuration, in no event.
    ///   - proving: the log's name, and the handling of its kept checkpoint.
    ///   - metrics: the factory for the writer's measurements.
    ///   - pictures: the program that decodes pictures; this one, if it is `greentea`.
    ///   - maps: the largest sizes that files may grow to.
    ///   - tracer: makes spans of the stages of a traced request's command; nil where nothing is traced.
    ///   - duePeriodSeconds: seconds between two looks at what is due; nil for none but ``runDue()``.
    /// - Throws: the storage's named errors, each with its remedy: another process holds the folder, no log, damaged, wrong master secret,
    ///   a log that was rolled back behind its checkpoint.
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
        var options = EventLog.Options()
        options.durability = MeasuredDurability(durability, by: metrics)
        (options.origin, options.map) = (proving.origin, maps.log)
        options.walkBytesHeld = LogLimits.walkBytesHeld
        let now = clock.now()
        // Before anything is made: the right keys can still be put in their place.
        if !proving.acceptsLostKeys { try KeyStore.requireKeys(of: data) }
        log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite,
            created: Timestamp(microseconds: now.microseconds), options: options)
        let forward = ForwardClock(clock, notBefore: try Self.latestTime(in: log, now: now))
        (self.clock, self.forward) = (forward, forward)
        self.passwords = PasswordHasher(cost: passwords, clock: forward)
        verifications = Verifications(randomness: randomness, clock: forward)
        live = LiveHub(log: log, clock: forward)
        keyStore = try KeyStore(directory: data.keys, master: master, randomness: randomness, makesRoot: makesRootSecret, map: maps.keys)
        keys = keyStore.keys
        self.operators = operators
        try keyStore.finishErasures(in: log)
        try keyStore.finishPhoneChanges(in: log, at: forward.now())
        // After the keys: a wrong master secret is to be called that, and not a forged checkpoint.
        checkpoints = try CheckpointKeeper(
            log: log, path: data.checkpoint, seed: keys.checkpointSeed,
            accepting: proving.acceptsOlderLog ? Timestamp(microseconds: now.microseconds) : nil,
            acceptance: "greentea serve --accept-older-log")
        images = ImageStore(blobs: data.blobs, thumbnails: data.thumbnails, program: pictures) { [keys] in
            keys.picture(digest: $0, sentBy: $1)
        }
        discovery = try Discovery(directory: data.models, log: log) { [keyStore] in try keyStore.key(of: $0.keyHolder) }
        models = try ReadModels(directory: data.models, log: log, others: [discovery.waiting(for: log)], map: maps.model)
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
            writer.offer(submission, resume: resume)
        }
        writer.start()
        if let duePeriodSeconds { scheduler.start(periodSeconds: duePeriodSeconds) }
        checkpoints.start(onFailure: proving.onFailure)
    }

    /// Offers a command, and makes spans of its stages if it belongs to a traced request.
    private func offer(_ submission: Submission) async throws(GroupCommitRefusal) -> Result<Acceptance, ServiceError> {
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

    /// Offers one command and awaits its outcome. Cancelling the task does not take the command back.
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

    /// Waits until a model of reports shows what the log holds now, or two seconds: such a model pauses between batches.
    public func catchUp(_ model: String) async {
        _ = await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax, in: [model])
    }

    /// Whether a request under the caller's key was accepted before: asking again gives that answer.
    public func isAnswered(_ caller: Caller) throws(ServiceError) -> Bool {
        guard let mark = caller.mark else { return false }
        if idle.find(mark) != nil { return true }
        return try reading { try $0.facts(ofRequest: mark.request) != nil }
    }

    /// The present state of the log.
    public var past: LogPast<EventLog> { LogPast(log) }

    /// The state of the log at a position.
    public func past(through position: Position) -> LogPast<EventLog> { LogPast(log, through: position) }

    /// How many commands wait for the writer.
    public var queueDepth: Int { writer.depth }

    /// Why the writer stopped for good, or `nil` while it works. The process should exit when this is set.
    public var failure: String? { failStop.reason?.reason }

    /// Waits until the writer stops for good and says why; returns `nil` when the waiting task is cancelled first.
    public func awaitFailure() async -> WriterEnd? { await failStop.wait() }

    /// Seconds that the service's time is ahead of the machine's, since that was set back; 0 where they agree.
    public var clockLeadSeconds: Double { Double(forward.leadMicroseconds) / 1e6 }

    /// Adds what ``close()`` does first: the end of something that reads the log. It is done once and let go of.
    public func atClosing(_ act: @escaping @Sendable () -> Void) { closingActs.withLock { $0.append(act) } }

    /// Finishes waiting commands and stops the writer, the models and the log's threads. Blocks. The files are released with the last
    /// reference to the service.
    ///
    /// - Throws: the error that kept derived data from being stored, after everything was stopped; the log itself was durable before.
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

    /// The time that the next event must not be before: the newest event's, unless that is implausibly far ahead of the clock.
    private static func latestTime(in log: EventLog, now: Instant) throws -> Instant {
        guard log.head > .start, let newest = try log.event(at: log.head) else { return now }
        let time = newest.event.time.microseconds
        return time > now.microseconds + Limits.clockLeadMicrosecondsMax ? now : Instant(microseconds: max(time, now.microseconds))
    }

    /// A new identity: a UUIDv7 of the present moment.
    func newID<Noun>(_ noun: Noun.Type = Noun.self) -> ID<Noun> {
        ID(UUIDv7.make(at: clock.now(), random: (randomness.next(), randomness.next())))
    }
}

extension GreenTea {
    /// Reads single things straight from the log, as of now or as of a position.
    ///
    /// - Throws: whatever `body` throws of `ServiceError`; anything else as `.failed`.
    public func reading<Value>(
        through position: Position? = nil, _ body: (LogPast<EventLog>) throws -> Value
    ) throws(ServiceError) -> Value {
        do {
            return try body(LogPast(log, through: position))
        } catch let error as ServiceError {
            throw error
        } catch {
            throw .failed(String(describing: error))
        }
    }
}

extension GreenTea {
    /// Lets happen what is due now, without waiting for the scheduler's next look. Waits until the read models show it.
    ///
    /// - Returns: how many events were recorded.
    @discardableResult
    package func runDue() async throws -> Int {
        _ = await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax)
        let recorded = try await blocking { [scheduler] in try scheduler.pass() }
        _ = await models.reached(log.head, timeoutSeconds: Limits.catchUpSecondsMax)
        return recorded
    }
}

/// The log's name, and the handling of its checkpoints.
public struct ProvingOptions: Sendable {
    /// The log's name in its checkpoints: a URL without scheme and trailing slash. Nil for the one that it has.
    public var origin: String?
    /// Whether the operator knows why the log does not continue its kept checkpoint; that is set aside then.
    public var acceptsOlderLog = false
    /// Whether the operator gives up the keys of a log that has none beside it: everybody registers anew then.
    public var acceptsLostKeys = false
    /// Told when no checkpoint can be stored, on a thread of the service; it is tried again every second.
    public var onFailure: @Sendable (EventLogError) -> Void = { _ in }

    /// The defaults suit a service whose log was never rolled back.
    public init() {}
}

/// The largest sizes that the files of a data folder may grow to, with the names of the settings that say so.
public struct MapLimits: Sendable {
    /// The log's limit. The log holds every event for ever.
    public var log = MapLimit(setting: "--log-map-gib (GREENTEA_LOG_MAP_GIB)")
    /// The limit of the key store, which holds the accounts' and shops' data keys.
    public var keys = MapLimit(setting: "--keys-map-gib (GREENTEA_KEYS_MAP_GIB)")
    /// The limit of each read model.
    public var model = MapLimit(setting: "--model-map-gib (GREENTEA_MODEL_MAP_GIB)")

    /// The defaults.
    public init() {}
}

extension GreenTea {
    /// How much is used of the map of the log, of the keys and of each read model.
    public var maps: [MapUsage] { [log.mapUsage] + [keyStore.mapUsage].compactMap(\.self) + models.status.compactMap(\.map) }
}

extension DataFolder {
    /// Makes the folder for its owner only, and those above it, where there are none; what was made survives the loss of power.
    ///
    /// - Throws: the storage's `LMDBError`.
    public func make() throws { try DurableNames.makeFolder(path, mode: 0o700, above: 0o755) }
}

/// Runs work that waits for a disk on a thread of its own, so that no task of the cooperative pool is held up.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: work)) }
    }
}
