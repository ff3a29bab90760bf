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
    /// Whether a log with damaged pages is opened, and events are accepted behind damage that is found later.
    public var acceptsDamagedLog = false
    /// A closure that is called on a thread of the service when no checkpoint can be stored. Storing is retried every second.
    public var onFailure: @Sendable (EventLogError) -> Void = { _ in }

    /// Creates the options for a log that has its keys and was never rolled back.
    public init() {}
}

extension ProvingOptions {
    /// The command line that accepts a log that does not continue its checkpoint.
    static let acceptance = "greentea serve --accept-older-log"

    /// Requires that a folder with a checkpoint or with keys has a log. Otherwise a new log would be created, which hides that the old one
    /// is gone, and would take over its keys.
    ///
    /// - Throws: `EventLogError` of the code `.logLost`.
    func requireLog(of data: DataFolder) throws(EventLogError) {
        let files = FileManager.default
        let others = [data.checkpoint, data.keys + "/data.mdb"]
        guard let left = others.first(where: files.fileExists), !files.fileExists(atPath: data.log + "/data.mdb") else { return }
        throw EventLogError(
            .logLost,
            "\(left) is of a log whose file is not in \(data.log). A restore that was cut off is repeated with the same command. The "
                + "runbook has more under logLost.")
    }

    /// The time to pass to `CheckpointKeeper` if the stored checkpoint is to be set aside.
    ///
    /// If the operator has given the keys up, new keys are made, and these cannot have signed the stored checkpoint. So the checkpoint is
    /// checked here with the verifier key in the file beside it. If the log continues the checkpoint, the checkpoint is set aside, and the
    /// new keys sign this log from now on. If it does not, the log may not be the one that was here last, and the operator must accept this
    /// separately (``acceptsOlderLog``). The check comes before new keys are stored, so that the start can be repeated with the right log.
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
            // If there are keys after all, `CheckpointKeeper` compares the checkpoint with them later, when they are open.
            if KeyStore.exists(in: data.keys) { return nil }
            throw EventLogError(error.code, "\(error.detail) To accept it as well: \(Self.acceptance)")
        }
    }
}
