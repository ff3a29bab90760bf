internal import Foundation
internal import LMDB
internal import Merkle

/// The file with the stored checkpoint and, beside it, the file with its verifier key.
struct CheckpointFile: Sendable {
    let path: String
    private var keyPath: String { path + ".vkey" }

    /// The bytes of the stored checkpoint, which is a signed note; nil if there is no file.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/io``.
    func read() throws(EventLogError) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else { throw EventLogError(.io, "cannot read \(path).") }
        return [UInt8](data)
    }

    /// Replaces the stored checkpoint by a newer signed note. The new note is on disk on return.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``; the stored note is then the old one, or the new one if only the folder could
    ///   not be flushed.
    func keep(_ note: SignedNote) throws(EventLogError) {
        do throws(LMDBError) { try DurableFile.replace(path, with: note.bytes) } catch { throw EventLogError(error) }
    }

    /// Writes the public key that verifies the checkpoint into the file `keyPath`, for tools that do not have the secret. Does nothing if
    /// the file already contains the key.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    func keep(_ key: VerifierKey) throws(EventLogError) {
        let bytes = Array((key.text + "\n").utf8)
        if let stored = FileManager.default.contents(atPath: keyPath), [UInt8](stored) == bytes { return }
        do throws(LMDBError) { try DurableFile.replace(keyPath, with: bytes) } catch { throw EventLogError(error) }
    }

    /// Renames the checkpoint's file to a name with a date. A checkpoint that the log does not continue is kept as evidence, not deleted.
    ///
    /// - Returns: the file's new path.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    func setAside(at time: Timestamp) throws(EventLogError) -> String {
        let names = (0...).lazy.map { path + ".replaced-" + time.day + ($0 == 0 ? "" : "-\($0)") }
        let free = names.first { !FileManager.default.fileExists(atPath: $0) } ?? path + ".replaced"
        do throws(LMDBError) { try DurableFile.rename(path, to: free) } catch { throw EventLogError(error) }
        return free
    }
}
