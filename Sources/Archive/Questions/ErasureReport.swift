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
        public let leftovers: [String]

        public var isDone: Bool { leftovers.isEmpty }
    }

    public let erasures: [Erasure]
    /// Folders whose file may still contain destroyed keys in unused pages, because the overwriting was interrupted.
    public let unscrubbed: [String]
    /// The last position right after the newest restore; nil without a restore. Erasures among lost later events are not in the log.
    public let restoredTo: UInt64?

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
        for place in places { _ = try KeyFolder.opened(place, isOwn: place == own) }
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
            let store = try KeyFolder.opened(place, isOwn: place == own)
            do {
                for index in found.indices where try found[index].holders.contains(where: store.hasKey) {
                    found[index].leftovers.append(place)
                }
                if try store.entry("unscrubbed") != nil { unfinished.append(place) }
            } catch { throw AuditError(any: error) }
        }
        erasures = found.map { Erasure(account: $0.holders[0], position: $0.fact.position, time: $0.fact.time, leftovers: $0.leftovers) }
        restoredTo = UpkeepFile.events(DataFolder(folder.path).restoreNote)
        unscrubbed = unfinished
    }

    /// Requires that the names of the keys can be read.
    static func requireKeys(in store: String) throws(AuditError) { _ = try KeyFolder.opened(store) }

    private static func keys(_ path: String) -> [String] {
        func holdsKeys(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/data.mdb") }
        let (own, partial) = (DataFolder(path).keys, PartialName.of(path))
        let left = ClaimedFolder.isAbandoned(partial) && holdsKeys(partial) ? [partial] : []
        return [holdsKeys(path) || !holdsKeys(own) ? path : own] + left
    }

    /// A process can open a folder only once.
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

extension KeyFolder {
    /// - Throws: ``AuditError/Code/missing`` for a folder without keys; ``AuditError/Code/damaged``.
    fileprivate static func opened(_ path: String, isOwn: Bool = false) throws(AuditError) -> KeyFolder {
        guard FileManager.default.fileExists(atPath: path + "/data.mdb") || !isOwn else { throw .noKeys(in: path) }
        do throws(LMDBError) { return try KeyFolder(path) } catch {
            if error.code == .damaged { throw .damagedKeys(path, error) }
            throw AuditError(
                .missing, "there are no keys in \(path): \(error.statement)", remedy: "Name a data folder, or what backup --keys has made.")
        }
    }
}
