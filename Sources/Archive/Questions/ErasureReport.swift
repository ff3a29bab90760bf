public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// Reports whether the log's erasures are complete: no key of an erased account or its shops is left in the data folder or in copies.
///
/// Texts about a shop are sealed under the shop's key, so even a copy from before the account owned the shop may decrypt them.
public struct ErasureReport: Sendable {
    /// One erased account.
    public struct Erasure: Hashable, Sendable {
        public let account: AccountID
        public let position: UInt64
        public let time: Instant
        /// The folders that still have the account's key, or the key of a shop erased with it.
        public let leftovers: [String]

        public var isDone: Bool { leftovers.isEmpty }
    }

    public let erasures: [Erasure]
    /// Folders whose file may still contain destroyed keys in unused pages, because the overwriting was interrupted.
    public let unscrubbed: [String]
    /// The last position right after the newest restore; nil without a restore. Erasures among lost later events are not in the log.
    public let restoredTo: UInt64?

    /// Whether no examined folder contains an erased key, not even in unused pages.
    public var isClear: Bool { unscrubbed.isEmpty && erasures.allSatisfy(\.isDone) }

    /// Whether every erasure is known to be complete. After a restore, the log may lack erasures.
    public var isDone: Bool { isClear && restoredTo == nil }

    /// Reads the log and the names of keys. No key is decrypted, and no secret is needed.
    ///
    /// - Parameter copies: folders that `backup --keys` made, or data folders, in addition to the folder's own keys. Incomplete copies
    ///   beside them are examined as well.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``, ``AuditError/Code/missing`` for a folder without keys.
    public init(of folder: AuditedFolder, copies: [String] = []) throws(AuditError) {
        try self.init(of: folder, stores: copies.flatMap(Self.keys))
    }

    init(of folder: AuditedFolder, stores copies: [String]) throws(AuditError) {
        let places = Self.distinct([DataFolder(folder.path).keys] + copies)
        let own = DataFolder(folder.path).keys
        // This only finds missing folders. The folders are opened again after the log was read, because a service replaces the file when
        // it destroys a key.
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

    /// Requires that the names of the keys can be read.
    static func requireKeys(in store: String) throws(AuditError) { _ = try KeyNames(store, isOwn: false) }

    /// The folders of keys at a path or in a data folder, with the incomplete copies beside them.
    private static func keys(_ path: String) -> [String] {
        func holdsKeys(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/data.mdb") }
        let (own, partial) = (DataFolder(path).keys, PartialName.of(path))
        let left = ClaimedFolder.isAbandoned(partial) && holdsKeys(partial) ? [partial] : []
        return [holdsKeys(path) || !holdsKeys(own) ? path : own] + left
    }

    /// Leaves out paths to the same folder, because a process can open a folder only once.
    private static func distinct(_ paths: [String]) -> [String] {
        var seen: Set<String> = []
        return paths.filter { seen.insert(URL(filePath: $0).resolvingSymlinksInPath().standardizedFileURL.path).inserted }
    }

    /// The shops that were erased with their owner's account: an erasure closes them in events whose actor is the owner.
    private static func shops(in log: EventLog) throws(AuditError) -> [AccountID: [ShopID]] {
        var shops: [AccountID: [ShopID]] = [:]
        try EventListing(type: .shopClosed).forEach(in: log) { fact in
            if case .shopClosed(let closed) = fact.event, closed.erasesContact { shops[fact.actor, default: []].append(closed.shop) }
            return true
        }
        return shops
    }
}

private struct KeyNames {
    private let environment: Environment
    private let keys: Table
    private let meta: Table

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

    /// Whether a key of one of the accounts, or of their shops, is left.
    func holdsAny(of accounts: [AccountID]) throws(AuditError) -> Bool {
        for account in accounts where try holds(account) { return true }
        return false
    }

    /// Names in a key store are big-endian ids.
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
