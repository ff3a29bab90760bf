import EventLog
import Foundation
import Merkle

/// A log and its checkpoints in a sandbox, which are opened, extended and closed together.
final class Signed {
    static let seed = [UInt8](repeating: 3, count: 32)

    let sandbox: Sandbox
    let log: EventLog
    let appender: Appender
    let keeper: CheckpointKeeper

    init(
        _ sandbox: Sandbox, seed: [UInt8] = Signed.seed, accepting: Int64? = nil, intervalSeconds: Double = 0.001,
        options: EventLog.Options = .init()
    ) throws {
        self.sandbox = sandbox
        log = try sandbox.open(options: options)
        appender = try log.appender()
        keeper = try CheckpointKeeper(
            log: log, path: sandbox.checkpoint, seed: seed, accepting: accepting.map { Timestamp(microseconds: $0) },
            intervalSeconds: intervalSeconds)
    }

    /// Appends `count` events. Calls with different heads of the log or different values of `salt` append different events.
    func append(_ count: Int, salt: UInt128 = 0) throws {
        try appender.stage((0..<count).map { event(.stamped, card(salt << 64 | UInt128(log.head.rawValue) << 32 | UInt128($0))) })
        try appender.commit()
    }

    func close() throws {
        try keeper.close()
        try log.close()
    }

    /// The size of the last checkpoint.
    var size: UInt64 { keeper.latest.checkpoint.size }
}

extension Sandbox {
    var checkpoint: String { path + "/checkpoint" }
    var keptNote: [UInt8]? { FileManager.default.contents(atPath: checkpoint).map { [UInt8]($0) } }

    /// Prevents checkpoints from being stored, as a full disk would. For this, a folder is created under the name of the checkpoint's
    /// temporary file.
    func blockCheckpoint() throws {
        try FileManager.default.createDirectory(atPath: checkpoint + ".new", withIntermediateDirectories: true)
    }

    func unblockCheckpoint() throws { try FileManager.default.removeItem(atPath: checkpoint + ".new") }
}
