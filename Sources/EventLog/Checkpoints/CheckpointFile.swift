internal import Foundation
internal import LMDB
internal import Merkle

/// The file with the stored checkpoint, and beside it the one with its verifier key.
struct CheckpointFile: Sendable {
    let path: String
    private var keyPath: String { path + ".vkey" }

    /// Nil if there is no file.
    func read() throws(EventLogError) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else { throw EventLogError(.io, "cannot read \(path).") }
        return [UInt8](data)
    }

    /// Replaces the stored checkpoint durably.
    ///
    /// - Throws: ``EventLogError`` `.storage`; the stored note is the old one, or the new one if only the folder could not be flushed.
    func keep(_ note: SignedNote) throws(EventLogError) {
        do throws(LMDBError) { try DurableFile.replace(path, with: note.bytes) } catch { throw EventLogError(error) }
    }

    /// Writes the public key for tools without the secret, unless the file has it.
    func keep(_ key: VerifierKey) throws(EventLogError) {
        let bytes = Array((key.text + "\n").utf8)
        if let stored = FileManager.default.contents(atPath: keyPath), [UInt8](stored) == bytes { return }
        do throws(LMDBError) { try DurableFile.replace(keyPath, with: bytes) } catch { throw EventLogError(error) }
    }

    /// Renames the checkpoint's file to the returned path, which has a date. A checkpoint that the log does not continue is kept as
    /// evidence.
    ///
    /// - Throws: ``EventLogError`` `.storage`.
    func setAside(at time: Timestamp) throws(EventLogError) -> String {
        let names = (0...).lazy.map { path + ".replaced-" + time.day + ($0 == 0 ? "" : "-\($0)") }
        let free = names.first { !FileManager.default.fileExists(atPath: $0) } ?? path + ".replaced"
        do throws(LMDBError) { try DurableNames.move(path, to: free) } catch { throw EventLogError(error) }
        return free
    }
}
