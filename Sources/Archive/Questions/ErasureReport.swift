public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// Reports whether the erasures in the log are complete. An erasure is complete if no key of the erased account is left in the data folder
/// or in copies of the keys.
///
/// The keys of the shops that the account owned are erased with the account's key. Texts about a shop are sealed under the shop's key. So
/// an old copy of the keys may still decrypt these texts, even if it was made before the account owned the shop.
public struct ErasureReport: Sendable {
    /// One erased account.
    public struct Erasure: Hashable, Sendable {
        public let account: AccountID
        /// The position of the event `AccountErased`.
        public let position: UInt64
        public let time: Instant
        /// The folders of keys that still contain the account's key, or the key of a shop whose contact data was erased together with the
        /// account.
        public let leftovers: [String]

        /// Whether none of the examined folders still has a key of the account or of its shops.
        public var isDone: Bool { leftovers.isEmpty }
    }

    /// The erasures, from the oldest.
    public let erasures: [Erasure]
    /// Folders of keys whose file may still contain destroyed keys in unused pages, because the overwriting of these pages was interrupted.
    public let unscrubbed: [String]
    /// The number of events that the log had right after the newest restore; nil if no restore left a note of it. The old log may have had
    /// later events. They are lost, so erasures among them are not in the log.
    public let restoredTo: UInt64?

    /// Whether none of the examined folders contains a key of an account that the log calls erased, or of its shops, not even in unused
    /// pages.
    public var isClear: Bool { unscrubbed.isEmpty && erasures.allSatisfy(\.isDone) }

    /// Whether every erasure is known to be complete. After a restore this is not known, because the restore may have removed erasures from
    /// the log.
    public var isDone: Bool { isClear && restoredTo == nil }

    /// Reads the log and the names of keys. No key is decrypted, and no secret is needed.
    ///
    /// - Parameter copies: folders that `backup --keys` made, or data folders. A folder that is named twice is examined once. The data
    ///   folder's own keys are always examined, even if they are not named here. Incomplete copies that killed backups left beside a named
    ///   folder are examined as well.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``, ``AuditError/Code/missing`` for a folder without keys.
    public init(of folder: AuditedFolder, copies: [String] = []) throws(AuditError) {
        try self.init(of: folder, stores: copies.flatMap(Self.keys))
    }

    /// - Parameter copies: further folders of keys to examine.
    init(of folder: AuditedFolder, stores copies: [String]) throws(AuditError) {
        let places = Self.distinct([DataFolder(folder.path).keys] + copies)
        let own = DataFolder(folder.path).keys
        // The folders of keys are opened only for a moment before the log is read, to find missing ones, and are examined afterwards. A
        // service replaces the file of its keys when it destroys a key, so a file that was opened before the long reading may be outdated.
        for place in places { _ = try KeyNames(place, isOwn: place == own) }
        let log = try folder.log(.readOnly)
        let shops = try Self.shops(in: log)
        var found: [(fact: Fact, holders: [AccountID], leftovers: [String])] = []
        try EventListing(type: .accountErased).forEach(in: log) { fact in
            guard case .accountErased(let erased) = fact.event else { return true }
            found.append((fact, [erased.account] + (shops[erased.account] ?? []).map(\.keyHolder), []))
            return true
        }
        var unfinished: [String] = []
        for place in places {
            let store = try KeyNames(place, isOwn: place == own)
            for index in found.indices where try store.holdsAny(of: found[index].holders) { found[index].leftovers.append(place) }
            if try store.isUnscrubbed() { unfinished.append(place) }
        }
        erasures = found.map { Erasure(account: $0.holders[0], position: $0.fact.position, time: $0.fact.time, leftovers: $0.leftovers) }
        restoredTo = UpkeepFile.events(DataFolder(folder.path).restoreNote)
        unscrubbed = unfinished
    }

    /// Requires that the names of the keys in a folder can be read.
    static func requireKeys(in store: String) throws(AuditError) { _ = try KeyNames(store, isOwn: false) }

    /// The folders of keys at a path, with the incomplete copies that killed backups left beside it. The path may be a folder of keys, or a
    /// data folder that contains one.
    private static func keys(_ path: String) -> [String] {
        func holdsKeys(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/data.mdb") }
        let (own, partial) = (DataFolder(path).keys, PartialName.of(path))
        let left = ClaimedFolder.isAbandoned(partial) && holdsKeys(partial) ? [partial] : []
        return [holdsKeys(path) || !holdsKeys(own) ? path : own] + left
    }

    /// Returns the paths without duplicates: a path is left out if it leads to the same folder as an earlier path. This is necessary
    /// because a process can open a folder only once.
    private static func distinct(_ paths: [String]) -> [String] {
        var seen: Set<String> = []
        return paths.filter { seen.insert(URL(filePath: $0).resolvingSymlinksInPath().standardizedFileURL.path).inserted }
    }

    /// For each owner of shops, the shops whose contact data was erased together with the owner's account. An erasure closes the owner's
    /// shops in events whose actor is the owner.
    private static func shops(in log: EventLog) throws(AuditError) -> [AccountID: [ShopID]] {
        var shops: [AccountID: [ShopID]] = [:]
        try EventListing(type: .shopClosed).forEach(in: log) { fact in
            if case .shopClosed(let closed) = fact.event, closed.erasesContact { shops[fact.actor, default: []].append(closed.shop) }
            return true
        }
        return shops
    }
}

/// The names in a key store, which show the accounts and shops that have a key.
private struct KeyNames {
    private let environment: Environment
    private let keys: Table
    private let meta: Table

    /// - Parameter isOwn: whether these are the keys of the data folder, and not a copy.
    init(_ path: String, isOwn: Bool) throws(AuditError) {
        guard FileManager.default.fileExists(atPath: path + "/data.mdb") || !isOwn else { throw .noKeys(in: path) }
        do throws(LMDBError) {
            environment = try Environment.whole(path)
            (keys, meta) = (try environment.table("dataKeys"), try environment.table("meta"))
        } catch let error where error.code == .damaged {
            throw .damagedKeys(path, error)
        } catch {
            throw AuditError(
                .missing, "there are no keys in \(path): \(error.statement)", remedy: "Name a data folder, or what backup --keys has made.")
        }
    }

    /// Whether the key store has a key for one of these accounts, or of the shops whose key holders they are.
    func holdsAny(of accounts: [AccountID]) throws(AuditError) -> Bool {
        for account in accounts where try holds(account) { return true }
        return false
    }

    /// The names in a key store are ids in big-endian order.
    private func holds(_ account: AccountID) throws(AuditError) -> Bool {
        try has(keys, stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: account.value >> UInt128($0)) })
    }

    func isUnscrubbed() throws(AuditError) -> Bool { try has(meta, Array("unscrubbed".utf8)) }

    private func has(_ table: Table, _ name: [UInt8]) throws(AuditError) -> Bool {
        let environment = environment
        do throws(LMDBError) {
            let snapshot = try environment.snapshot()
            return try snapshot.get(table, name.span) != nil
        } catch { throw AuditError(any: error) }
    }
}
