public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// Reports whether the erasures in the log are complete. An erasure is complete if no key of the erased account is left in the data folder
/// or in copies of the keys.
///
/// The keys of the shops that the account owned are erased with it. Texts about a shop are sealed under the shop's key, so an old copy of
/// the keys, made before the account owned the shop, may still open them.
public struct ErasureReport: Sendable {
    /// One erased account.
    public struct Erasure: Hashable, Sendable {
        public let account: AccountID
        /// The position of the event `AccountErased`.
        public let position: UInt64
        public let time: Instant
        /// The folders of keys that still hold the account's key, or the key of a shop whose contact data was erased together with the
        /// account.
        public let leftovers: [String]

        /// Whether none of the examined folders still has a key of the account or of its shops.
        public var isDone: Bool { leftovers.isEmpty }
    }

    /// The erasures, from the oldest.
    public let erasures: [Erasure]
    /// Folders of keys whose file may still contain destroyed keys in unused pages, because an overwrite was interrupted.
    public let unscrubbed: [String]
    /// The number of events to which the log was last restored, as far as that is noted. Erasures that the restore has taken back are in no
    /// event of the log.
    public let restoredTo: UInt64?

    /// Whether none of the examined folders has a key of an erased account or of its shops.
    public var isDone: Bool { unscrubbed.isEmpty && erasures.allSatisfy(\.isDone) }

    /// Reads the log and the names of keys. No key is unwrapped, and no secret is needed.
    ///
    /// - Parameter copies: folders that `backup --keys` made, or data folders. A folder that is named twice is examined once. The folder's
    ///   own keys, which are always examined, may be among them. A folder that a killed backup has left beside one of them is examined as
    ///   well.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``, ``AuditError/Code/missing`` for a folder without keys.
    public init(of folder: AuditedFolder, copies: [String] = []) throws(AuditError) {
        try self.init(of: folder, stores: copies.flatMap(Self.keys))
    }

    /// - Parameter copies: folders of keys.
    init(of folder: AuditedFolder, stores copies: [String]) throws(AuditError) {
        let places = Self.distinct([DataFolder(folder.path).keys] + copies)
        let stores = try places.map { (place) throws(AuditError) in try KeyNames(place) }
        var found: [Erasure] = []
        let log = try folder.log(.readOnly)
        let shops = try Self.shops(in: log)
        try EventListing(type: .accountErased).forEach(in: log) { fact in
            guard case .accountErased(let erased) = fact.event else { return true }
            let holders = [erased.account] + (shops[erased.account] ?? []).map(\.keyHolder)
            let left = try stores.filter { store in try holders.contains { try store.holds($0) } }.map(\.path)
            found.append(Erasure(account: erased.account, position: fact.position, time: fact.time, leftovers: left))
            return true
        }
        (erasures, restoredTo) = (found, UpkeepFile.events(DataFolder(folder.path).restoreNote))
        var unfinished: [String] = []
        for store in stores where try store.isUnscrubbed() { unfinished.append(store.path) }
        unscrubbed = unfinished
    }

    /// The folders of keys that a path means: the path itself, or the keys of a data folder; and what a killed backup has left beside it.
    private static func keys(_ path: String) -> [String] {
        func holdsKeys(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/data.mdb") }
        let (own, partial) = (DataFolder(path).keys, PartialName.of(path))
        let left = ClaimedFolder.isAbandoned(partial) && holdsKeys(partial) ? [partial] : []
        return [holdsKeys(path) || !holdsKeys(own) ? path : own] + left
    }

    /// The paths without those that lead to the same folder as an earlier one, because a process can open a folder only once.
    private static func distinct(_ paths: [String]) -> [String] {
        var seen: Set<String> = []
        return paths.filter { seen.insert(URL(filePath: $0).resolvingSymlinksInPath().standardizedFileURL.path).inserted }
    }

    /// The shops whose contact data was erased together with their owners, by owner. An erasure closes the owner's shops in events whose
    /// actor is the owner.
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
    let path: String
    private let environment: Environment
    private let keys: Table
    private let meta: Table

    init(_ path: String) throws(AuditError) {
        self.path = path
        do throws(LMDBError) {
            environment = try Environment(directory: path, access: .readOnly)
            (keys, meta) = (try environment.table("dataKeys"), try environment.table("meta"))
        } catch {
            throw AuditError(
                .missing, "there are no keys in \(path): \(error.statement)", remedy: "Name a data folder, or what backup --keys has made.")
        }
    }

    /// Whether the store has a key for the account. The id is looked up in big-endian order, as the key store writes it.
    func holds(_ account: AccountID) throws(AuditError) -> Bool {
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
