import CommandService
public import EventLog
import Foundation
import LoyaltyCodec
import Merkle

/// The log's name, and the handling of its checkpoints.
public struct ProvingOptions: Sendable {
    /// The log's name in its checkpoints: a URL without its scheme and without a slash at the end. If nil, an existing log keeps its name.
    public var origin: String?
    /// Whether a log that does not continue its stored checkpoint is accepted, because the operator knows the reason. The checkpoint is
    /// then set aside.
    public var acceptsOlderLog = false
    /// Whether a log without its keys is accepted, because the operator has given them up. Everybody must then register again.
    public var acceptsLostKeys = false
    /// A closure that is called on a thread of the service when no checkpoint can be stored. Storing is retried every second.
    public var onFailure: @Sendable (EventLogError) -> Void = { _ in }

    /// Creates the options for a log that has its keys and was never rolled back.
    public init() {}
}

extension ProvingOptions {
    /// The way to accept a log that does not continue its checkpoint.
    static let acceptance = "greentea serve --accept-older-log"

    /// The time to pass to `CheckpointKeeper` if the stored checkpoint is to be set aside.
    ///
    /// New keys cannot have signed that checkpoint. If the keys are given up, it is checked with the key that lies beside it; if it holds,
    /// the new keys go on from this log. If it does not, the log is not the one that was here last, and that has to be accepted on its own.
    /// This is found before new keys are stored, so that the start can be repeated with the right log.
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
            // If there are keys, the checkpoint is also compared with them, when they are open.
            if KeyStore.exists(in: data.keys) { return nil }
            throw EventLogError(error.code, "\(error.detail) To accept it as well: \(Self.acceptance)")
        }
    }
}
