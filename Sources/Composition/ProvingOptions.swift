import CommandService
public import EventLog
import Foundation
import LoyaltyCodec
import Merkle

/// The log's name, and the handling of its checkpoints.
public struct ProvingOptions: Sendable {
    /// A URL without scheme and final slash; if nil, an existing log keeps its name.
    public var origin: String?
    /// Accepts a log that does not continue its checkpoint, which is then set aside.
    public var acceptsOlderLog = false
    /// Accepts a log without its keys. Everybody must then register again.
    public var acceptsLostKeys = false
    /// Opens a log with damaged pages, and accepts events behind damage found later.
    public var acceptsDamagedLog = false
    /// Called when no checkpoint can be stored; retried every second.
    public var onFailure: @Sendable (EventLogError) -> Void = { _ in }

    public init() {}
}

extension ProvingOptions {
    static let acceptance = "greentea serve --accept-older-log"

    /// A new log would hide the loss of the old one and take over its keys.
    ///
    /// - Throws: `EventLogError` of the code `.logLost`.
    func requireLog(of data: DataFolder) throws(EventLogError) {
        if let error = RemovedFile.lostLog(of: data) { throw error }
    }

    /// New keys cannot have signed it, so it is checked with the key beside it. A log that does not continue it needs ``acceptsOlderLog``.
    /// The check precedes the storing of new keys, so that the start can be repeated with the right log.
    ///
    /// - Throws: `EventLogError` of the code `.checkpointMismatch` or `.rolledBack`.
    func accepting(_ now: Timestamp, _ log: EventLog, in data: DataFolder) throws(EventLogError) -> Timestamp? {
        guard acceptsLostKeys, !acceptsOlderLog, let note = FileManager.default.contents(atPath: data.checkpoint) else {
            return acceptsOlderLog ? now : nil
        }
        do throws(EventLogError) {
            guard let key = VerifierKey(inFile: data.verifierKey) else {
                throw EventLogError(.checkpointMismatch, "\(data.checkpoint) cannot be checked: there is no key in \(data.verifierKey).")
            }
            _ = try log.verify(checkpoint: [UInt8](note), by: key)
            return now
        } catch {
            // With keys after all, `CheckpointKeeper` compares the checkpoint with them later.
            if KeyStore.exists(in: data.keys) { return nil }
            throw EventLogError(error.code, "\(error.detail) To accept it as well: \(Self.acceptance)")
        }
    }
}
