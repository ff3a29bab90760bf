import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Seeds

/// The data folder of one test with its service, clock and randomness. A test can close and reopen it.
///
/// A folder may be opened on plain threads only, so the functions of this class are synchronous.
final class Site {
    static let secret = Array(0..<UInt8(32))

    let folder: TemporaryFolder
    let clock = HandClock()
    private let randomness = SeededRandomness(seed: Seed.value)
    private let duePeriodSeconds: Double?
    private var opened: GreenTea?

    /// - Parameter duePeriodSeconds: seconds between two passes of the scheduler; nil for no passes. On a slow machine, a pass could record
    ///   due actions between a test's move of the clock and the test's next step.
    init(
        queueLimit: Int = LogLimits.waitingRequestsMax, cachedEntitiesMax: Int = CommandService.Limits.cachedEntitiesMax,
        durability: any BatchDurability = LocalCommit(), duePeriodSeconds: Double? = nil
    ) throws {
        self.duePeriodSeconds = duePeriodSeconds
        folder = try TemporaryFolder()
        try open(queueLimit: queueLimit, cachedEntitiesMax: cachedEntitiesMax, durability: durability)
    }

    deinit { try? opened?.close() }

    /// The open service. A test that closes the site must not keep the service in a variable, because the last reference closes the files.
    var service: GreenTea {
        guard let opened else { preconditionFailure("the site is closed") }
        return opened
    }

    func open(
        secret: [UInt8] = Site.secret, queueLimit: Int = LogLimits.waitingRequestsMax,
        cachedEntitiesMax: Int = CommandService.Limits.cachedEntitiesMax, durability: any BatchDurability = LocalCommit(),
        proving: ProvingOptions = .init()
    ) throws {
        opened = try GreenTea(
            data: DataFolder(folder.path), master: MasterSecret(bytes: secret), clock: clock, randomness: randomness,
            queueLimit: queueLimit, cachedEntitiesMax: cachedEntitiesMax, durability: durability, passwords: PasswordCost(log2N: 4),
            proving: proving, duePeriodSeconds: duePeriodSeconds)
    }

    func close() throws {
        try opened?.close()
        opened = nil
    }

    func reopen(durability: any BatchDurability = LocalCommit()) throws {
        try close()
        try open(durability: durability)
    }
}
