internal import Caches
package import EventLog
import Foundation
import LMDB
public import Loyalty
import LoyaltyCodec
import Merkle
import Synchronization

/// The destruction of a key, including its bytes on the disk.
///
/// At each start, the log is searched for erasures that a crash interrupted. The key store notes the position up to which it has searched,
/// and the log's root hash there, so the next start searches only later events. If the log's root at that position differs from the noted
/// one, the whole log is searched. Before this note existed, each start on a log of 4,600,000 events read 1 GB before the service was
/// ready.
extension KeyStore {
    /// Destroys the account's key and the claim of its phone. When this returns, neither this service, nor a later start, nor a search of
    /// the file finds them.
    ///
    /// LMDB does not overwrite a page in place, so the key would stay in the file, in a page that is no longer in use. A small file is
    /// copied without such pages, the copy takes its place, and the old one is filled with zeros. In a file that uses more than
    /// ``copiedBytesMax`` bytes, the key's bytes are searched for and zeroed in place, and other keys can be read meanwhile. One key is
    /// destroyed at a time.
    ///
    /// - Returns: whether there was a key or a claim.
    /// - Throws: the storage's `LMDBError`. The key may still be stored, but this object no longer returns it, and a second call finishes
    ///   the work.
    @available(*, noasync)
    @discardableResult
    public func destroyKey(of account: AccountID) throws -> Bool {
        try destroying.withLock { _ in
            let (isDestroyed, isUnscrubbed, bytes) = try remove(account)
            guard isUnscrubbed else { return isDestroyed }
            if bytes <= copiedBytesMax { try scrub() } else { try scrubInPlace() }
            return isDestroyed
        }
    }

    /// Destroys several keys, one after the other; see ``destroyKey(of:)``.
    ///
    /// - Throws: the first error, after the destruction of every key was tried. So this object no longer returns any of the keys.
    @available(*, noasync)
    package func destroyKeys(of holders: [AccountID]) throws {
        var failure: (any Error)?
        for holder in holders {
            do { try destroyKey(of: holder) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    @available(*, noasync)
    private func remove(_ account: AccountID) throws -> (isDestroyed: Bool, isUnscrubbed: Bool, bytes: Int) {
        try state.withLock { state in
            state.unwrapped[account] = nil
            state.condemned.insert(account)
            let file = try opened(&state)
            if let wrapped = try file.value(file.dataKeys, Self.name(of: account)) { state.unscrubbed.append(wrapped) }
            let rows = try rows(of: account, in: file)
            for row in rows { if let masked = try file.value(file.names, row) { state.unscrubbed.append(masked) } }
            let isDestroyed = try file.removeKey(Self.name(of: account), names: rows)
            state.condemned.remove(account)
            // `isUnscrubbed` is also true if an earlier call removed the key and could not zero its bytes.
            let isUnscrubbed = try file.value(file.meta, KeyFile.Entry.unscrubbed.name) != nil
            return (isDestroyed, isUnscrubbed, file.environment.statistics.usedBytes)
        }
    }

    /// Zeroes the bytes of destroyed keys in the file.
    ///
    /// After a crash, the note about unfinished scrubbing remains, and the next start replaces the whole file.
    @available(*, noasync)
    func scrubInPlace() throws {
        let path = directory + "/data.mdb"
        // LMDB keeps freed pages in memory, including the key. Opening the file again discards them.
        let secrets = try state.withLock { state in
            state.file = nil
            defer { if state.file == nil { state.file = try? KeyFile(directory: directory, map: map, isChecked: true) } }
            state.file = try KeyFile(directory: directory, map: map, isChecked: true)
            return state.unscrubbed
        }
        // The search takes long. It runs without the lock, which is safe because LMDB never copies deleted bytes to another place.
        let places = try secrets.map { try FileScrub.places(of: $0, in: path) }
        try state.withLock { state in
            for (secret, places) in zip(secrets, places) { try FileScrub.zero(secret, at: places, in: path) }
            // A claim may have overwritten more rows during the search. Their bytes and the note stay until the next scrubbing.
            let done = Set(secrets)
            state.unscrubbed.removeAll { done.contains($0) }
            if state.unscrubbed.isEmpty { try opened(&state).noteScrubbed() }
        }
    }

    /// Replaces the file by a copy of the data in use, and fills the old file with zeros.
    ///
    /// After a crash, the file's name belongs to either the whole old file or the whole new one. Both have the note that scrubbing is
    /// unfinished, so the next start scrubs again.
    @available(*, noasync)
    func scrub() throws {
        try state.withLock { state in
            let workshop = directory + "/scrubbed"
            try? FileManager.default.removeItem(atPath: workshop)
            let last = try opened(&state).environment.statistics.lastTransaction
            try opened(&state).environment.copy(to: workshop)
            try Self.alignHead(of: workshop, with: last, map)
            let old = try FileHandle(forUpdating: URL(filePath: directory + "/data.mdb"))
            // The old file is out of use from here on. No transaction needs it, because transactions run only inside the lock.
            state.file = nil
            defer { if state.file == nil { state.file = try? KeyFile(directory: directory, map: map, isChecked: true) } }
            try DurableNames.move(workshop + "/data.mdb", to: directory + "/data.mdb")
            try Self.fillWithZeros(old)
            try? FileManager.default.removeItem(atPath: workshop)
            let file = try KeyFile(directory: directory, map: map, isChecked: true)
            state.file = file
            state.unscrubbed = []
            try file.noteScrubbed()
        }
    }

    /// Makes the number of the copy's last transaction odd if that of the original, `last`, is odd, and even if that is even.
    ///
    /// LMDB writes the head of a file into two pages in turn. The number of the last transaction tells which one is newer: the first page
    /// if the number is even, the second if it is odd. All processes that have a folder open share this number in `lock.mdb`. So if a
    /// tool has the keys open while the file is replaced, the old file's number stays in force. If that number led to the other head page
    /// of the new file, which is empty, the store would seem to have no keys, and the next change would overwrite them.
    @available(*, noasync)
    private static func alignHead(of copy: String, with last: Int, _ map: MapLimit) throws {
        let file = try KeyFile(directory: copy, map: map)
        guard file.environment.statistics.lastTransaction % 2 != last % 2 else { return }
        // The copy has this note already. Storing it again only adds a transaction.
        try file.put([(file.meta, KeyFile.Entry.unscrubbed.name, [1])])
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

/// The notes by which a start finds an erasure that a crash interrupted.
extension KeyStore {
    /// Destroys the keys of all accounts whose erasure is in the log, and of their shops, in case a crash came between the event and the
    /// destruction.
    ///
    /// The store notes the position up to which it has searched, so a start searches only later events. If the log does not begin with the
    /// searched part, because it was rolled back or is another log, the whole log is searched. If the keys were restored from an older
    /// copy, the search begins at that copy's note.
    ///
    /// - Parameter settling: called once, with the accounts whose numbers changed in the events that were searched now. It is called after
    ///   the destruction, so that no erased account has a claim on a number any more, and before the note, so that a start after a crash
    ///   calls it with these accounts again.
    @available(*, noasync)
    package func finishErasures(in log: EventLog, settling: ([AccountID]) throws -> Void) throws {
        let now = try ErasureNote(of: log)
        let known = try erasureNote().flatMap { $0.holds(in: log) ? $0.position : nil } ?? .start
        guard known < now.position else { return try settling([]) }
        let past = LogPast(log, through: now.position)
        let (erased, moved) = try past.erasedAndMoved(after: known)
        for account in erased {
            for shop in try past.shops(ownedBy: account) { try destroyKey(of: shop.id.keyHolder) }
            try destroyKey(of: account)
        }
        try settling(moved)
        try state.withLock { state in
            let file = try opened(&state)
            try file.put([(file.meta, KeyFile.Entry.erasures.name, now.bytes)])
        }
    }

    private func erasureNote() throws -> ErasureNote? {
        try state.withLock { state in
            let file = try opened(&state)
            return try file.value(file.meta, KeyFile.Entry.erasures.name).flatMap { ErasureNote($0.span) }
        }
    }
}

/// The part of a log that was searched for erasures.
struct ErasureNote {
    /// The position of the last event that was searched.
    let position: Position
    /// The root hash of the log's tree at ``position``. A position alone cannot show whether this is the log that was searched.
    let root: NodeHash

    /// A note for the log's present head.
    init(of log: EventLog) throws {
        position = log.head
        root = try log.root(through: position)
    }

    /// Reads a note; nil if the bytes are not a note.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 8 + NodeHash.byteCount, let root = NodeHash(bytes.extracting(droppingFirst: 8)) else { return nil }
        self.root = root
        position = Position(rawValue: bytes.littleEndian64(at: 0))
    }

    /// The note as bytes: the position as a little-endian u64, then the root.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: position.rawValue)
        root.append(to: &bytes)
        return bytes
    }

    /// Whether the log begins with the searched part.
    func holds(in log: EventLog) -> Bool { position <= log.head && (try? log.root(through: position)) == root }
}
