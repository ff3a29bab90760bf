import Foundation
import LMDB
public import Loyalty
import Synchronization

/// How a key is destroyed so that it is gone from the disk, too.
extension KeyStore {
    /// Destroys the account's key. When this returns, no start of the service will ever find it again.
    ///
    /// LMDB never writes over a page: the key would stay in one that is in use no more. So the file is copied without such pages, the
    /// copy takes its place, and the old one is filled with zeros. That takes as long as writing all keys; a store larger than
    /// `Limits.scrubbedBytesMax` gets it at the next start, and the key is unlisted until then.
    ///
    /// - Returns: whether there was a key.
    /// - Throws: the storage's `LMDBError`; the key may be there or not, opens nothing any more, and calling again finishes what was begun.
    @available(*, noasync)
    @discardableResult
    public func destroyKey(of account: AccountID) throws -> Bool {
        let (isDestroyed, isUnscrubbed, bytes) = try state.withLock { state in
            state.unwrapped[account] = nil
            state.condemned.insert(account)
            let file = try Self.opened(state)
            let isDestroyed = try file.removeKey(Self.name(of: account))
            state.condemned.remove(account)
            // Also where it was unlisted before, and scrubbing failed.
            let isUnscrubbed = try file.value(file.meta, KeyFile.Entry.unscrubbed.name) != nil
            return (isDestroyed, isUnscrubbed, file.environment.statistics.usedBytes)
        }
        if isUnscrubbed, bytes <= Limits.scrubbedBytesMax { try scrub() }
        return isDestroyed
    }

    /// Replaces the file by a copy that holds nothing but what is in use, and fills the old one with zeros.
    ///
    /// A crash leaves the one or the other under the file's name, whole, and the note that says so: the next start does it again.
    @available(*, noasync)
    func scrub() throws {
        try state.withLock { state in
            let workshop = directory + "/scrubbed"
            try? FileManager.default.removeItem(atPath: workshop)
            try Self.opened(state).environment.copy(to: workshop)
            let old = try FileHandle(forUpdating: URL(filePath: directory + "/data.mdb"))
            // Nobody has it open from here on: transactions live inside the lock only.
            state.file = nil
            defer { if state.file == nil { state.file = try? KeyFile(directory: directory) } }
            try DurableNames.move(workshop + "/data.mdb", to: directory + "/data.mdb")
            try Self.fillWithZeros(old)
            try? FileManager.default.removeItem(atPath: workshop)
            let file = try KeyFile(directory: directory)
            state.file = file
            try file.noteScrubbed()
        }
    }

    private static func fillWithZeros(_ file: FileHandle) throws {
        var left = Int(try file.seekToEnd())
        try file.seek(toOffset: 0)
        let zeros = Data(count: 1 << 20)
        while left > 0 {
            try file.write(contentsOf: zeros.prefix(left))
            left -= zeros.count
        }
        try file.synchronize()
        try file.close()
    }
}
