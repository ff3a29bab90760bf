internal import Caches
package import EventLog
import Foundation
import LMDB
public import Loyalty
import LoyaltyCodec
import Merkle
import Synchronization

extension KeyStore {
    /// Destroys the account's key and the claim of its phone. When this returns, no search of the file finds them.
    ///
    /// LMDB does not overwrite pages in place, so a small file is replaced by a copy without unused pages. In a file of more than
    /// ``copiedBytesMax`` bytes, the key's bytes are zeroed in place, and other keys can be read meanwhile.
    ///
    /// - Returns: whether there was a key or a claim.
    /// - Throws: the storage's `LMDBError`; this object no longer returns the key, and a second call finishes the work.
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

    /// Throws the first error after every key was tried.
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
            state.rewards.removeAll()
            state.condemned.insert(account)
            let file = try opened(&state)
            if let wrapped = try file.value(file.dataKeys, Self.name(of: account)) { state.unscrubbed.append(wrapped) }
            let rows = try rows(of: account, in: file)
            for row in rows { if let masked = try file.value(file.names, row) { state.unscrubbed.append(masked) } }
            let isDestroyed = try file.removeKey(Self.name(of: account), names: rows + [Row.awaited.name(account.value)])
            state.condemned.remove(account)
            // The note also remains if an earlier call removed the key and could not zero its bytes.
            let isUnscrubbed = try file.value(file.meta, KeyFile.Entry.unscrubbed.name) != nil
            return (isDestroyed, isUnscrubbed, file.environment.statistics.usedBytes)
        }
    }

    /// After a crash, the note makes the next start scrub.
    @available(*, noasync)
    func scrubInPlace() throws {
        let path = directory + "/data.mdb"
        // LMDB keeps freed pages in memory. Opening the file again discards them.
        let secrets = try state.withLock { state in
            state.file = nil
            defer { if state.file == nil { state.file = try? KeyFile(directory: directory, map: map, isChecked: true) } }
            state.file = try KeyFile(directory: directory, map: map, isChecked: true)
            return state.unscrubbed
        }
        // The long search runs without the lock, which is safe because LMDB never copies deleted bytes to another place.
        let places = try secrets.map { try FileScrub.places(of: $0, in: path) }
        try state.withLock { state in
            for (secret, places) in zip(secrets, places) { try FileScrub.zero(secret, at: places, in: path) }
            // A claim may have overwritten more rows during the search. They wait for the next scrubbing.
            let done = Set(secrets)
            state.unscrubbed.removeAll { done.contains($0) }
            if state.unscrubbed.isEmpty { try opened(&state).noteScrubbed() }
        }
    }

    /// Replaces the file by a copy without unused pages, and zeroes the old one. After a crash, either file has the note that makes the
    /// next start scrub again.
    @available(*, noasync)
    func scrub() throws {
        try state.withLock { state in
            let workshop = directory + "/scrubbed"
            try? FileManager.default.removeItem(atPath: workshop)
            let last = try opened(&state).environment.statistics.lastTransaction
            try opened(&state).environment.copy(to: workshop)
            try Self.alignHead(of: workshop, with: last, map)
            let old = try FileHandle(forUpdating: URL(filePath: directory + "/data.mdb"))
            // No transaction needs the old file from here on, because transactions run only inside the lock.
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

    /// Makes the number of the copy's last transaction odd or even like `last`, that of the original.
    ///
    /// The parity of this number selects the newer of LMDB's two head pages, and a tool that has the keys open keeps the old number in
    /// force. If that selected the new file's empty head, the store would seem to have no keys, and the next change would overwrite them.
    @available(*, noasync)
    private static func alignHead(of copy: String, with last: Int, _ map: MapLimit) throws {
        let file = try KeyFile(directory: copy, map: map)
        guard file.environment.statistics.lastTransaction % 2 != last % 2 else { return }
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

extension KeyStore {
    /// Destroys the keys of all accounts and shops whose erasure is in the log, in case a crash came between the event and the destruction.
    ///
    /// The search begins at the store's note, or at the log's start if the log does not begin with the searched part.
    ///
    /// - Parameter settling: called once with the accounts whose numbers changed. It runs after the destruction, so that no erased account
    ///   claims a number, and before the note, so that a start after a crash repeats it.
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
    let position: Position
    let root: NodeHash

    init(of log: EventLog, through position: Position? = nil) throws {
        self.position = position ?? log.head
        root = try log.root(through: self.position)
    }

    init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 8 + NodeHash.byteCount, let root = NodeHash(bytes.extracting(droppingFirst: 8)) else { return nil }
        self.root = root
        position = Position(rawValue: bytes.littleEndian64(at: 0))
    }

    /// The position as a little-endian u64, then the root.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: position.rawValue)
        root.append(to: &bytes)
        return bytes
    }

    func holds(in log: EventLog) -> Bool { position <= log.head && (try? log.root(through: position)) == root }
}
