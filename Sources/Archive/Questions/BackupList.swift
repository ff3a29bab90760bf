public import Audit
internal import EventLog
internal import Foundation
public import Loyalty
internal import LoyaltyCodec
internal import Merkle

/// The backups in a folder, each with the position to which it can be restored, and the copies of keys that can still open erased people's
/// data.
public struct BackupList: Sendable {
    /// One backup of a log: full, or an increment.
    public struct Copy: Hashable, Sendable {
        public let path: String
        /// After a restore of the whole chain; 0 if the copy cannot be read.
        public internal(set) var events: UInt64 = 0
        /// Nil if the log is empty or cannot be read.
        public internal(set) var newest: Instant?
        public internal(set) var bytes = 0
        public internal(set) var pictures = 0
        public let standing: Standing
        public var kind = Kind.full
        /// Whether the verification found no list of pictures, so that missing pictures are not detected.
        public var lacksPictureList = false
        /// Whether no backup of the chain has a checkpoint, so that nothing shows whether the copied log lost its end.
        public var lacksCheckpoint = false
        /// The folders that a restore needs, the full backup first and this copy last; empty if they are not known.
        public var chain: [String] = []
    }

    /// The kind of a backup.
    public enum Kind: Hashable, Sendable {
        case full
        /// The events after the position `after`, the last one in the backup `parent`.
        case increment(parent: String, after: UInt64)
    }

    /// Whether a copy can take the place of the folder's log.
    public enum Standing: Hashable, Sendable {
        /// The log begins with the copy's events, and has `missing` later ones; nil without a log to compare with.
        case good(missing: UInt64?)
        /// The copy has events that the log lacks; `by` is their number.
        case ahead(by: UInt64)
        case foreign
        case damaged(String)
        case unreadable(String)
        /// An increment with a missing or damaged link in its chain.
        case broken(String)
    }

    /// One copy of the accounts' keys.
    public struct KeyCopy: Hashable, Sendable {
        public let path: String
        /// The erased accounts for which this copy still has the account's key, or the key of a shop of the account.
        public let erased: [AccountID]
        /// Whether a killed backup left this incomplete copy. Its keys are not examined.
        public var isAbandoned = false
        /// Whether there was a log, which names the erased accounts.
        public var isCompared = true
        public var fault: String?

        /// Whether the operator may keep this copy of the keys.
        public var isGood: Bool { erased.isEmpty && !isAbandoned && fault == nil }
    }

    /// A full backup with the increments that continue it.
    public struct Chain: Hashable, Sendable {
        public let full: String
        public let ends: [Copy]
    }

    /// Ordered by name. If the names are times, the oldest copy is first.
    public let copies: [Copy]
    public let keyCopies: [KeyCopy]

    public var chains: [Chain] {
        let whole = copies.filter { if case .ahead = $0.standing { true } else { $0.isGood } }
        return copies.filter { $0.kind == .full }.map(\.path).compactMap { full in
            let ends = whole.filter { $0.chain.first == full }.sorted { ($0.events, $0.path) < ($1.events, $1.path) }
            return ends.isEmpty ? nil : Chain(full: full, ends: ends)
        }
    }

    public var isWell: Bool { isWellWithoutAbandonedKeys && !keyCopies.contains(where: \.isAbandoned) }

    /// Whether a backup can be restored, every copy is good, and no complete copy of keys undoes an erasure.
    public var isWellWithoutAbandonedKeys: Bool {
        !copies.isEmpty && good.count == copies.count && keyCopies.allSatisfy { $0.isGood || $0.isAbandoned }
    }

    /// Examines every folder in `place` that contains a log or an increment, or that was a backup and has lost its log.
    ///
    /// - Parameters:
    ///   - place: the folder of backups, or one backup.
    ///   - keys: folders that `backup --keys` made, or folders that contain such folders.
    ///   - verifying: whether pages, records and pictures are checked, which takes as long as reading each log's file twice.
    /// - Throws: ``AuditError/Code/missing`` for a path that cannot be read; ``AuditError/Code/damaged``, ``AuditError/Code/log``,
    ///   ``AuditError/Code/event`` for the log of the data folder.
    public init(of folder: AuditedFolder, in place: String, keys: [String] = [], verifying: Bool = false) throws(AuditError) {
        try self.init(of: folder, in: place, keys: keys, verifying: verifying, inspecting: .whole, reader: ChainReader())
    }

    /// Examines the backups without a data folder, for example after its loss. Lost events, foreign logs and erasures are not detected.
    public init(in place: String, keys: [String] = [], verifying: Bool = false) throws(AuditError) {
        copies = try Self.copies(in: place, of: nil, inspecting: .nothing, verifying: verifying, ChainReader())
        keyCopies = try Self.keyCopies(in: keys, of: nil)
    }

    init(
        of folder: AuditedFolder, in place: String, keys: [String] = [], verifying: Bool = false, inspecting extent: LogInspection.Extent,
        reader: ChainReader
    ) throws(AuditError) {
        copies = try Self.copies(in: place, of: folder, inspecting: extent, verifying: verifying, reader)
        keyCopies = try Self.keyCopies(in: keys, of: folder)
    }

    private static let logFile = "log/data.mdb"
    private static let keysFile = "data.mdb"

    private static func keyCopies(in places: [String], of folder: AuditedFolder?) throws(AuditError) -> [KeyCopy] {
        var (stores, abandoned): ([String], [String]) = ([], [])
        for place in places {
            let left = Self.abandonedKeys(in: place)
            abandoned += left
            guard left.isEmpty || FileManager.default.fileExists(atPath: place) else { continue }
            let found = try Self.folders(in: place, with: keysFile)
            stores += found.isEmpty && left.isEmpty ? [place] : found
        }
        var faults: [String: String] = [:]
        for store in stores { do throws(AuditError) { try ErasureReport.requireKeys(in: store) } catch { faults[store] = error.detail } }
        let whole = stores.filter { faults[$0] == nil }
        var erasures: [ErasureReport.Erasure] = []
        if let folder, !whole.isEmpty { erasures = try ErasureReport(of: folder, stores: whole).erasures }
        let complete = stores.map { path in
            let erased = erasures.filter { $0.leftovers.contains(path) }.map(\.account)
            return KeyCopy(path: path, erased: erased, isCompared: folder != nil, fault: faults[path])
        }
        return complete + abandoned.map { KeyCopy(path: $0, erased: [], isAbandoned: true) }
    }

    /// Incomplete copies that killed backups have left in `place`, or beside it if `place` is a folder of keys.
    private static func abandonedKeys(in place: String) -> [String] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).sorted().filter { $0.hasSuffix(".partial") }
        let paths = [PartialName.of(place)] + names.map { BackupChain.plain(place) + "/" + $0 }
        return paths.filter { FileManager.default.fileExists(atPath: $0 + "/" + keysFile) && ClaimedFolder.isAbandoned($0) }
    }

    /// - Throws: ``AuditError/Code/output``; ``AuditError/Code/occupied`` if a new backup is being made at one of these paths.
    public func removeAbandonedKeys() throws(AuditError) -> [String] {
        let paths = keyCopies.filter(\.isAbandoned).map(\.path)
        for path in paths { try ClaimedFolder.clear(path) }
        return paths
    }

    /// Increments and backups without their log count as well.
    private static func folders(in place: String, with file: String) throws(AuditError) -> [String] {
        let files = FileManager.default
        let isThere = { path in files.fileExists(atPath: path + "/" + file) || (file == logFile && IncrementManifest.isThere(in: path)) }
        if isThere(place) { return [place] }
        guard let names = try? files.contentsOfDirectory(atPath: place) else {
            throw AuditError(
                .missing, "there is no folder \(place), or it may not be read.", remedy: "Name the folder that backups are made in.")
        }
        // Incomplete backups have this suffix.
        return names.sorted().filter { !$0.hasSuffix(".partial") }.map { BackupChain.plain(place + "/" + $0) }
            .filter { isThere($0) || (file == logFile && isRemainder($0)) }
    }

    private static func isRemainder(_ path: String) -> Bool {
        let (files, data) = (FileManager.default, DataFolder(path))
        guard files.attribute(.type, of: path) == FileAttributeType.typeDirectory else { return false }
        // A log folder with other files, such as text logs, is not a log of this service.
        let log = try? files.contentsOfDirectory(atPath: data.log)
        let hasLog = log.map { Set($0).isSubset(of: ["lock.mdb"]) } ?? false
        return BackupShelf.isName(BackupChain.name(path)) || hasLog
            || [data.checkpoint, data.blobs].contains { files.fileExists(atPath: $0) }
    }

    /// Compares the backups with the data folder's log, and closes that log, because a process can open a log only once.
    private static func copies(
        in place: String, of folder: AuditedFolder?, inspecting extent: LogInspection.Extent, verifying: Bool, _ reader: ChainReader
    ) throws(AuditError) -> [Copy] {
        let own = if let folder { try folder.log(.readOnly, inspecting: extent) } else { nil as EventLog? }
        defer { try? own?.close() }
        return try folders(in: BackupChain.plain(place), with: logFile).map { path in
            if let file = closed(in: path) {
                let why = "this user may not read \(file): look as root or as the user that makes the backups"
                return Copy(path: path, standing: .unreadable(why))
            }
            return IncrementManifest.isThere(in: path)
                ? increment(path, of: own, verifying: verifying, reader) : copy(path, of: own, verifying: verifying, reader)
        }
    }

    /// The path of a folder or file that the current user may not read; nil if there is none.
    private static func closed(in path: String) -> String? {
        let files = FileManager.default
        let folders = [path, DataFolder(path).log, DataFolder(path).blobs].first { folder in
            do { _ = try files.contentsOfDirectory(atPath: folder) } catch { return FileFault(system: error) == .forbidden }
            return false
        }
        return folders
            ?? [path + "/" + logFile, path + "/" + IncrementManifest.fileName].first {
                files.fileExists(atPath: $0) && !files.isReadableFile(atPath: $0)
            }
    }

    private static func copy(_ path: String, of own: EventLog?, verifying: Bool, _ reader: ChainReader) -> Copy {
        let pictures = PictureFolder(path: DataFolder(path).blobs)
        var (lacksList, lacksCheckpoint, names): (Bool, Bool, [String]) = (false, false, [])
        func copy(_ events: UInt64, _ newest: Instant?, _ bytes: Int, _ standing: Standing) -> Copy {
            Copy(
                path: path, events: events, newest: newest, bytes: bytes + pictures.byteCount(of: names), pictures: names.count,
                standing: standing, lacksPictureList: lacksList, lacksCheckpoint: lacksCheckpoint, chain: [path])
        }
        do {
            names = try pictures.names
            let folder = try AuditedFolder(path)
            let chain = try reader.chain(to: path)
            lacksCheckpoint = chain.signed == nil
            try reader.requireParts(of: chain)
            if verifying {
                try folder.requireWholeLog()
                lacksList = try !pictures.requireWhole(of: path)
            }
            let log = try folder.log(.readOnly, inspecting: .nothing)
            defer { try? log.close() }
            let newest = try log.newestEvent.map { Instant(microseconds: $0.event.time.microseconds) }
            return copy(log.head.rawValue, newest, log.mapUsage.usedBytes, try standing(of: log, beside: own))
        } catch let fault as LinkFault { return copy(0, nil, 0, .damaged(reader.text(of: fault, beside: path))) } catch {
            return copy(0, nil, 0, .damaged(String(describing: error)))
        }
    }

    /// If both logs have the same history, the shorter one is a prefix of the other.
    private static func standing(of log: EventLog, beside own: EventLog?) throws -> Standing {
        guard let own else { return .good(missing: nil) }
        let (copied, now) = (log.head, own.head)
        let shared = min(copied, now)
        guard try log.root(through: shared) == own.root(through: shared) else { return .foreign }
        return copied > now ? .ahead(by: copied.rawValue - now.rawValue) : .good(missing: now.rawValue - copied.rawValue)
    }

    private static func increment(_ path: String, of own: EventLog?, verifying: Bool, _ reader: ChainReader) -> Copy {
        let manifest: IncrementManifest
        do throws(LinkFault) {
            guard let found = try reader.link(path).manifest else { throw LinkFault(path, .missing("there is no backup of that name")) }
            manifest = found
        } catch {
            return Copy(path: path, standing: .damaged(reader.text(of: error, beside: path)))
        }
        let pictures = PictureFolder(path: path + "/blobs")
        func copy(_ standing: Standing, _ chain: [String] = []) -> Copy {
            Copy(
                path: path, events: manifest.through, newest: manifest.newest.map { Instant(microseconds: $0) },
                bytes: manifest.byteCount + pictures.byteCount(of: manifest.pictures), pictures: manifest.pictures.count,
                standing: standing, kind: .increment(parent: manifest.parent, after: manifest.after), chain: chain)
        }
        do {
            let chain = try reader.chain(to: path)
            try reader.requireParts(of: chain)
            if verifying { try reader.verify(chain) }
            var whole = copy(try standing(of: manifest, beside: own), chain.paths)
            whole.lacksCheckpoint = chain.signed == nil
            return whole
        } catch let fault as LinkFault { return copy(.broken(reader.text(of: fault, beside: path))) } catch {
            return copy(.damaged(String(describing: error)))
        }
    }

    private static func standing(of manifest: IncrementManifest, beside own: EventLog?) throws -> Standing {
        guard let own else { return .good(missing: nil) }
        let now = own.head.rawValue
        // The last position of an increment that is ahead cannot be compared, so its first position is compared.
        let (position, root) = manifest.through <= now ? (manifest.through, manifest.root) : (manifest.after, manifest.afterRoot)
        guard position <= now else { return .ahead(by: manifest.through - now) }
        guard try own.root(through: Position(position)).hex == root else { return .foreign }
        return manifest.through > now ? .ahead(by: manifest.through - now) : .good(missing: now - manifest.through)
    }
}
