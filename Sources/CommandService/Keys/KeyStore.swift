internal import Caches
public import EventLog
import Foundation
internal import LMDB
public import Loyalty
public import LoyaltyCodec
import Synchronization

/// The accounts' data keys, wrapped by the master secret, and their phones, hashed and masked, in an LMDB environment flushed at every
/// change.
///
/// It is separate from the log and its backups: destroying a key here makes a person's sealed fields unreadable in all copies. Without its
/// keys, the service does not start on a log unless the operator accepts their loss.
///
/// Any thread may call. Writes block for one flush, and all requests for keys wait for them.
public final class KeyStore: Sendable {
    struct State {
        /// Nil only while scrubbing, or if the file could not be opened again.
        var file: KeyFile?
        var unwrapped = GenerationalCache<AccountID, DataKey>(limit: Limits.cachedEntitiesMax)
        /// Opened rewards, all forgotten when a key is destroyed. Every answer about a card shows one.
        var rewards = GenerationalCache<Sealed, String>(limit: Limits.cachedRewardsMax)
        /// Accounts whose key may still be in the file, because destroying it failed.
        var condemned: Set<AccountID> = []
        /// Destroyed keys and old rows of phones whose bytes may still be in the file.
        var unscrubbed: [[UInt8]] = []
        /// The damage that ``inspect()`` found. The file is not read any more.
        var damage: KeyStoreError?
    }

    struct NewKey {
        let account: AccountID
        let key: DataKey
        let wrapped: [UInt8]
    }

    public let keys: Keys
    let directory: String
    let randomness: any Randomness
    let state: Mutex<State>
    /// The last known use of the memory map. It has its own lock, so that ``mapUsage`` never waits for ``state``.
    private let lastMapUsage = Mutex<MapUsage?>(nil)
    /// Held while a key is destroyed or claims are settled. Locked before ``state``.
    let destroying = Mutex(())
    let copiedBytesMax: Int
    let map: MapLimit

    /// Opens or creates the store, and finishes a destruction that a crash interrupted.
    ///
    /// - Parameter makesRoot: whether a new store gets its own root secret, so that a replaced master secret that leaks derives nothing.
    /// - Throws: `KeyStoreError.wrongMasterSecret`, or the storage's `LMDBError`.
    @available(*, noasync)
    public init(
        directory: String, master: MasterSecret, randomness: any Randomness, makesRoot: Bool = false,
        copiedBytesMax: Int = Limits.copiedBytesMax, map: MapLimit = .init()
    ) throws {
        let (keys, isUnscrubbed) = try Self.prepare(directory, master, randomness, makesRoot, map)
        (self.map, self.keys, self.directory, self.randomness, self.copiedBytesMax) = (map, keys, directory, randomness, copiedBytesMax)
        state = Mutex(State(file: try KeyFile(directory: directory, map: map, isChecked: true)))
        _ = mapUsage  // Notes the use, so that it is known before another thread holds the lock.
        if isUnscrubbed { try scrub() }
    }

    /// The use of the memory map, or the last known one while the lock is held: health checks must not block. Nil without an open file.
    package var mapUsage: MapUsage? {
        guard let usage = state.withLockIfAvailable({ state in state.file.map { MapUsage("keys", of: $0.environment) } }) else {
            return lastMapUsage.withLock { $0 }
        }
        if let usage { lastMapUsage.withLock { $0 = usage } }
        return usage
    }

    /// Whether the folder has a key store.
    public static func exists(in directory: String) -> Bool { FileManager.default.fileExists(atPath: directory + "/data.mdb") }

    /// Closed again, because scrubbing needs exclusive access.
    @available(*, noasync)
    private static func prepare(
        _ directory: String, _ master: MasterSecret, _ randomness: any Randomness, _ makesRoot: Bool, _ map: MapLimit
    ) throws -> (keys: Keys, isUnscrubbed: Bool) {
        let file = try KeyFile(directory: directory, map: map)
        let keys = try keys(in: file, master, randomness, makesRoot)
        return (keys, try file.value(file.meta, KeyFile.Entry.unscrubbed.name) != nil)
    }

    /// The account's key; nil if it was never made, or was or is being destroyed.
    public func key(of account: AccountID) throws -> DataKey? {
        try state.withLock { state in
            if let key = state.unwrapped[account] { return key }
            guard !state.condemned.contains(account) else { return nil }
            let file = try opened(&state)
            guard let stored = try file.value(file.dataKeys, Self.name(of: account)) else { return nil }
            let key = try keys.unwrap(stored, for: account)
            state.unwrapped[account] = key
            return key
        }
    }

    /// Nil if the shop's key was destroyed, or the text does not open.
    package func reward(_ sealed: Sealed, of shop: ShopID) throws -> String? {
        let holder = shop.keyHolder
        if let known = state.withLock({ $0.unwrapped[holder] == nil ? nil : $0.rewards[sealed] }) { return known }
        guard let key = try key(of: holder), let text = Sealing.open(sealed, field: .campaignReward, of: holder, under: key) else {
            return nil
        }
        state.withLock { if $0.unwrapped[holder] != nil { $0.rewards[sealed] = text } }
        return text
    }

    /// The account's key, made if there is none; durable when this returns.
    @available(*, noasync)
    public func makeKey(for account: AccountID) throws -> DataKey {
        // An existing key is not overwritten, because that would erase the account's data.
        if let key = try key(of: account) { return key }
        return try store([try newKey(for: account)])[0]
    }

    /// Makes the missing keys of several accounts in one flush; durable when this returns.
    @available(*, noasync)
    public func makeKeys(for accounts: [AccountID]) throws { _ = try store(try accounts.filter { try key(of: $0) == nil }.map(newKey)) }

    func newKey(for account: AccountID) throws -> NewKey {
        let key = try DataKey(bytes: randomness.bytes(DataKey.length))
        return NewKey(account: account, key: key, wrapped: try keys.wrap(key, for: account, nonce: randomness.bytes(Sealing.nonceLength)))
    }

    @available(*, noasync)
    private func store(_ new: [NewKey]) throws -> [DataKey] {
        guard !new.isEmpty else { return [] }
        return try state.withLock { state in
            let file = try opened(&state)
            let stored = try new.map { try file.value(file.dataKeys, Self.name(of: $0.account)) }
            let missing = zip(new, stored).filter { $0.1 == nil }.map(\.0)
            if !missing.isEmpty { try file.put(missing.map { (file.dataKeys, Self.name(of: $0.account), $0.wrapped) }) }
            for new in missing { state.unwrapped[new.account] = new.key }
            return try zip(new, stored).map { new, stored in try stored.map { try keys.unwrap($0, for: new.account) } ?? new.key }
        }
    }

    /// If a scrub could not open it again, this retries.
    func opened(_ state: inout State) throws -> KeyFile {
        if let damage = state.damage { throw damage }
        if let file = state.file { return file }
        let file = try KeyFile(directory: directory, map: map, isChecked: true)
        state.file = file
        return file
    }

    static func name(of account: AccountID) -> [UInt8] { account.value.bigEndianBytes }

    /// The keys of the folder. The first opening writes a mark that only these keys can make; later ones check it.
    @available(*, noasync)
    private static func keys(in file: KeyFile, _ master: MasterSecret, _ randomness: any Randomness, _ makesRoot: Bool) throws -> Keys {
        if let keys = try known(in: file, master) { return keys }
        return try begin(file, master, randomness, makesRoot)
    }

    /// The keys derived with a master secret; nil if the file has none yet. Throws `KeyStoreError.wrongMasterSecret`.
    static func known(in file: KeyFile, _ master: MasterSecret) throws -> Keys? {
        let stored = try file.value(file.meta, KeyFile.Entry.mark.name)
        if let wrapped = try file.value(file.meta, KeyFile.Entry.root.name) {
            guard let keys = try? Keys(wrappedRoot: wrapped, master: master), stored == mark(of: keys) else {
                throw KeyStoreError.wrongMasterSecret
            }
            return keys
        }
        guard let stored else { return nil }
        let keys = Keys(master)
        guard stored == mark(of: keys) else { throw KeyStoreError.wrongMasterSecret }
        return keys
    }

    @available(*, noasync)
    private static func begin(_ file: KeyFile, _ master: MasterSecret, _ randomness: any Randomness, _ makesRoot: Bool) throws -> Keys {
        guard makesRoot else {
            let keys = Keys(master)
            try file.put([(file.meta, KeyFile.Entry.mark.name, mark(of: keys))])
            return keys
        }
        let keys = Keys(try MasterSecret(bytes: randomness.bytes(MasterSecret.length))).under(master)
        let wrapped = try keys.wrappedRoot(by: master, nonce: randomness.bytes(Sealing.nonceLength))
        try file.put([(file.meta, KeyFile.Entry.mark.name, mark(of: keys)), (file.meta, KeyFile.Entry.root.name, wrapped)])
        return keys
    }

    private static func mark(of keys: Keys) -> [UInt8] {
        keys.secret(ofToken: "the master secret of this data folder").value.bigEndianBytes
    }
}

extension KeyStore {
    /// Refuses to open a folder that has lost its keys, and changes nothing.
    ///
    /// - Throws: `.missing` if the log has events; `.emptied` if only a checkpoint shows that a log existed; `.foreign` for keys of another
    ///   log.
    public static func requireKeys(of data: DataFolder) throws(KeyStoreError) {
        guard !exists(in: data.keys) else { return try requireNotedOwner(of: data) }
        let head = (try? LogFile(directory: data.log))?.head ?? .start
        if head > .start { throw .missing(path: data.keys) }
        if FileManager.default.fileExists(atPath: data.checkpoint) { throw .emptied(path: data.path) }
    }

    /// The keys that hash codes and phones, for a tool beside a service; nil if there are none yet.
    ///
    /// - Throws: `KeyStoreError.wrongMasterSecret`, or the storage's `LMDBError`.
    public static func keys(_ master: MasterSecret, in directory: String) throws -> Keys? {
        try known(in: try KeyFile(directory: directory, access: .readOnly), master)
    }

    /// May run beside a service.
    ///
    /// - Throws: `KeyStoreError.wrongMasterSecret`, or the storage's `LMDBError`.
    public static func check(_ master: MasterSecret, in directory: String) throws {
        _ = try known(in: try KeyFile(directory: directory, access: .readOnly), master)
    }
}

extension KeyStore {
    /// Mends a damaged head page of the storage engine; no service may have the folder open.
    ///
    /// - Returns: whether nothing is lost; if not, the very last change may be. Nil, with nothing changed, for other damage or none.
    /// - Throws: the storage's `LMDBError`.
    public static func mend(_ directory: String) throws -> Bool? { try HeadMend.mend(in: directory)?.keepsAll }

    /// Wraps every data key, and the root, by another master secret, in one transaction. This object cannot be used afterwards.
    ///
    /// The old forms are scrubbed; copies elsewhere can still be opened with the old secret.
    ///
    /// - Parameter note: the file with the age of the last copy of the keys, removed before the change in case the process is killed after
    ///   it.
    /// - Returns: how many data keys were wrapped again.
    /// - Throws: before any change, the storage's `LMDBError`, or a `CodecError` for a key that does not open; `KeyStoreError.unscrubbed`
    ///   after the change.
    @available(*, noasync)
    public func rotate(to master: MasterSecret, removing note: String? = nil) throws -> Int {
        if let note {
            DurableNames.remove(note)
            try DurableNames.flush(URL(filePath: note).deletingLastPathComponent().path)
        }
        let next = keys.under(master)
        let count = try state.withLock { state in
            state.unwrapped = .init(limit: Limits.cachedEntitiesMax)
            let file = try opened(&state)
            var rows: [(table: Table, name: [UInt8], value: [UInt8])] = []
            try file.eachKey { name, wrapped in
                let account = AccountID(name.reduce(0) { $0 << 8 | UInt128($1) })
                let key = try keys.unwrap(wrapped, for: account)
                rows.append((file.dataKeys, name, try next.wrap(key, for: account, nonce: randomness.bytes(Sealing.nonceLength))))
            }
            let root = try keys.wrappedRoot(by: master, nonce: randomness.bytes(Sealing.nonceLength))
            try file.put(rows + [(file.meta, KeyFile.Entry.root.name, root), (file.meta, KeyFile.Entry.unscrubbed.name, [1])])
            return rows.count
        }
        do { try scrub() } catch { throw KeyStoreError.unscrubbed(reason: String(describing: error)) }
        return count
    }
}

/// The reason why the key store cannot be used.
public enum KeyStoreError: Error, Hashable, CustomStringConvertible, Sendable {
    case wrongMasterSecret
    case missing(path: String)
    /// Only a checkpoint shows that the folder had a log.
    case emptied(path: String)
    case damaged(path: String, what: String)
    /// Something removed or replaced the file of the keys while this process has it open, under the path `open` below `/proc`.
    case removed(path: String, what: String, open: String)
    /// Something overwrote the storage engine's lock file while this process has the keys open.
    case lockDamaged(path: String)
    case foreign(path: String, log: String)
    case unscrubbed(reason: String)
    case noKey
    case unsettled

    /// How to save the files that a process still has open; nil if there is none.
    private static func copyBack(_ folders: String...) -> String? {
        let open = folders.compactMap { RemovedFile($0 + "/data.mdb").copyBack }
        return open.isEmpty ? nil : open.joined(separator: ". ") + "."
    }

    static func damage(in path: String, _ error: LMDBError) -> Self? {
        error.code == .damaged || error.code == .foreign ? .damaged(path: path, what: error.text) : nil
    }

    public var description: String {
        switch self {
        case .wrongMasterSecret:
            "wrong master key: this data folder was made with another one. Start with the key that belongs to it; without it, "
                + "codes, phone numbers and sealed fields of this folder cannot be read."
        case .missing(let path):
            "there is a log, and no keys in \(path): everything personal in it would read as erased, and every phone register anew. "
                + (Self.copyBack(path)
                    ?? (RemovedFile(path + "/data.mdb").moveBack.map { $0 + ". Otherwise: " } ?? "")
                        + "Put the keys of this log back, as the owner of that folder: `cp -a COPY/. \(path)`, where COPY is a folder that "
                        + "`greentea-audit backup --keys` has made; and start with the master key that belongs to them. To go on without "
                        + "them for good, start once with --accept-lost-keys forget-everyone: names, phones and reviews of everybody stay "
                        + "unreadable then, and everybody registers anew.")
        case .emptied(let path):
            "\(path) has the signed checkpoint of a log, but neither that log's events nor its keys: it was emptied, or restored in part. "
                + "Nothing was made. "
                + (Self.copyBack(path + "/log", path + "/keys")
                    ?? "Put the log and the keys back (`greentea-audit restore --from BACKUP --keys COPY --data \(path)`), or start with "
                    + "an empty folder.")
        case .damaged(let path, let what):
            "damagedKeys: the keys in \(path) are damaged: \(what). Nothing was changed. "
                + (HeadMend(in: path).map { mend in
                    "The rest is whole: with the service stopped, as the owner of that folder, `greentea key mend --keys \(path)` "
                        + "mends the file" + (mend.keepsAll ? ", and nothing is lost. " : "; only the very last change may be lost. ")
                }
                    ?? "Put a copy of them in their place, as the owner of that folder: "
                    + "`mv \(path) \(path).damaged && cp -a COPY/. \(path)`, where COPY is the newest folder that "
                    + "`greentea-audit backup --keys` has made; accounts that are younger than the copy register anew. ")
                + "The runbook has more under damagedKeys."
        case .removed(let path, let what, _): "the file of the keys in \(path) is gone: \(what)"
        case .lockDamaged(let path): "the storage engine's lock file \(path)/lock.mdb was overwritten"
        case .foreign(let path, let log):
            "foreignKeys: the keys in \(path) belong to another log than \(log), which is here: with them nobody could sign in again, and "
                + "nothing personal could be read. Nothing was changed. Put the keys of this log in their place, as the owner of that "
                + "folder: `mv \(path) \(path).other && cp -a COPY/. \(path)`, where COPY is a folder that `greentea-audit backup --keys` "
                + "has made, or the keys of the folder that this log came from; and start with the master key that belongs to them. If "
                + "there are none anywhere, one start with --accept-lost-keys forget-everyone goes on with the keys that are here: names, "
                + "phones and reviews of everybody stay unreadable then. The runbook has more under foreignKeys."
        case .unscrubbed(let reason):
            "the new master key is in force, and the old one opens nothing here any more. But what the old one opens may still be in "
                + "unused parts of the file: \(reason). Mend that, then run it again with the same keys; a start with the new key finishes "
                + "it as well."
        case .noKey: "no data key for this account: it was erased or never made."
        case .unsettled: "an earlier change of this account's number is not complete: its claims have to be settled first."
        }
    }
}
