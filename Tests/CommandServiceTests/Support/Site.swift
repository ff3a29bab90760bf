import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Seeds
import SharedLogs

/// The data folder of one test with its service, clock and randomness. A test can close and reopen it.
///
/// A folder may be opened on plain threads only, so the functions of this class are synchronous.
final class Site {
    static let secret = Array(0..<UInt8(32))

    let folder: TemporaryFolder
    let clock = HandClock()
    /// The log that other nodes would share; nil if this is one machine.
    let engine: MemorySharedLog?
    private let randomness = SeededRandomness(seed: Seed.value)
    private let duePeriodSeconds: Double?
    private var opened: GreenTea?

    /// - Parameters:
    ///   - kind: decides the step that makes batches durable, at each opening without a step of its own.
    ///   - staged: goes around this step until the site is reopened.
    ///   - duePeriodSeconds: seconds between two passes of the scheduler; nil for no passes. On a slow machine, a pass could record due
    ///     actions between a test's move of the clock and the test's next step.
    init(
        queueLimit: Int = LogLimits.waitingRequestsMax, cachedEntitiesMax: Int = CommandService.Limits.cachedEntitiesMax,
        over kind: DurabilityKind = .local, durability: (any BatchDurability)? = nil, around staged: StagedDurability? = nil,
        duePeriodSeconds: Double? = nil
    ) throws {
        (self.duePeriodSeconds, engine) = (duePeriodSeconds, kind.engine())
        folder = try TemporaryFolder()
        let step = try durability ?? staged.map { $0.around(try ownStep()) }
        try open(queueLimit: queueLimit, cachedEntitiesMax: cachedEntitiesMax, durability: step)
    }

    private func ownStep() throws -> any BatchDurability { try engine.map { try claim($0) } ?? LocalCommit() }

    deinit { try? opened?.close() }

    /// The open service. A test that closes the site must not keep the service in a variable, because the last reference closes the files.
    var service: GreenTea {
        guard let opened else { preconditionFailure("the site is closed") }
        return opened
    }

    func open(
        secret: [UInt8] = Site.secret, queueLimit: Int = LogLimits.waitingRequestsMax,
        cachedEntitiesMax: Int = CommandService.Limits.cachedEntitiesMax, durability: (any BatchDurability)? = nil,
        proving: ProvingOptions = .init()
    ) throws {
        opened = try GreenTea(
            data: DataFolder(folder.path), master: MasterSecret(bytes: secret), clock: clock, randomness: randomness,
            queueLimit: queueLimit, cachedEntitiesMax: cachedEntitiesMax, durability: durability ?? ownStep(),
            passwords: PasswordCost(log2N: 4), proving: proving, duePeriodSeconds: duePeriodSeconds)
    }

    func close() throws {
        try opened?.close()
        opened = nil
    }

    func reopen(durability: (any BatchDurability)? = nil) throws {
        try close()
        try open(durability: durability)
    }
}
