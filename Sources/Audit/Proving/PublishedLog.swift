public import EventLog
internal import Foundation
internal import LoyaltyCodec
public import Merkle

/// A log with the checkpoint that the server has signed for it: all that proofs are made of, read beside a running server and
/// without its secrets.
///
/// The checkpoint's signature is verified with the key that the server has left beside it, and its root is computed from the log.
/// Whoever can write to the folder can replace all three; what they cannot do is make them fit a key that others know.
public struct PublishedLog: Sendable {
    /// The log, for reading only.
    public let log: EventLog
    /// The key that the checkpoint was verified with.
    public let key: VerifierKey
    /// The last one that was signed; the log may have grown since.
    public let checkpoint: TrustedCheckpoint

    /// - Parameter extent: how much of the log's file is looked at before it is opened.
    /// - Throws: ``AuditError`` `.damaged`, `.unproved` where no checkpoint or key is kept, `.checkpoint` where it is not of this log,
    ///   `.log`.
    public init(in folder: AuditedFolder, inspecting extent: LogInspection.Extent = .whole) throws(AuditError) {
        let data = DataFolder(folder.path)
        // Before the log, which is then the same or longer.
        let note = try Self.read(data.checkpoint)
        key = try Self.key(in: data)
        log = try folder.log(.readOnly, inspecting: extent)
        do throws(EventLogError) { checkpoint = try log.verify(checkpoint: note, by: key) } catch { throw AuditError(any: error) }
    }

    private static let remedy = """
        In a data folder: start the server once, it signs what there is. A backup of a log that was signed has both files, unless it is \
        older than that: then copy checkpoint.vkey from the data folder.
        """

    /// How many events the checkpoint covers.
    public var size: Position { Position(checkpoint.checkpoint.size) }

    private static func key(in data: DataFolder) throws(AuditError) -> VerifierKey {
        let text = String(decoding: try read(data.verifierKey), as: UTF8.self).trimmingCharacters(in: .newlines)
        do throws(MerkleError) { return try VerifierKey(text) } catch {
            throw AuditError(.unproved, "\(data.verifierKey): \(error.detail).", remedy: "Start the server once; it writes the key anew.")
        }
    }

    private static func read(_ path: String) throws(AuditError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw AuditError(
                .unproved, "there is no \(path), or it cannot be read.", remedy: Self.remedy)
        }
        return [UInt8](data)
    }
}
