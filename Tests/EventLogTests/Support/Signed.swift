import EventLog
import Foundation
import Merkle

/// A log with its checkpoints, in a sandbox; one thing to open, grow and close.
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

    /// Stores some events that no other call has stored.
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

    /// Keeps a checkpoint from being stored, as a full disk does: its temporary file's name is taken by a folder.
    func blockCheckpoint() throws {
        try FileManager.default.createDirectory(atPath: checkpoint + ".new", withIntermediateDirectories: true)
    }

    func unblockCheckpoint() throws { try FileManager.default.removeItem(atPath: checkpoint + ".new") }
}
