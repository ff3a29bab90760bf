package import LMDB
package import Merkle
internal import Synchronization

/// A log's file read past the storage engine, page by page, for looking at one that may be damaged.
///
/// It shows the log as of one commit. It needs no schema and no index, and may be used beside a server: where the folder can be
/// opened, a reader slot keeps the commit's pages from being used again.
///
/// ## Limitations
/// Where the folder cannot be opened (another reader in this process has it open, or it lies on a file system that cannot be
/// written to), nothing is held: ``isHeld`` is false, and the file must be at rest.
package final class LogFile: Sendable {
    /// The pages.
    package let file: PageFile
    /// The commit that is looked at.
    package let commit: HeadPage
    /// Position → record; nil where the table cannot be found.
    package let events: TreeRoot?
    /// Position → hashes; nil in a log that is older than trees, and where the table cannot be found.
    package let tree: TreeRoot?
    /// Why the tables could not be found; nil when they could.
    package let damage: LMDBError?
    private let place: Mutex<Place>

    /// Both are nil if the folder cannot be opened, and after it was released.
    private struct Place {
        var environment: Environment?
        var hold: SnapshotHold?
    }

    /// Opens the file of a log's folder.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/missing``, ``EventLogError/Code-swift.struct/notALog`` when it is no file of the
    ///   storage engine at all, ``EventLogError/Code-swift.struct/storage``.
    package convenience init(directory: String) throws(EventLogError) {
        do throws(LMDBError) {
            let file = try PageFile(in: directory)
            // It reads the head pages only, so that no damage beyond them can do harm. Nothing is read through its map.
            let environment = try? Environment(directory: directory, access: .readOnly)
            try self.init(file, environment)
        } catch { throw EventLogError(opening: error) }
    }

    /// The last commit, held if there is an environment to hold it through.
    private init(_ file: PageFile, _ environment: Environment?) throws(LMDBError) {
        let hold = environment.flatMap { try? SnapshotHold($0) }
        self.file = file
        if let hold, let head = file.head(of: hold.number) { commit = head } else { commit = try file.newestHead() }
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            (events, tree, damage) = (tables["events"], tables["tree"], nil)
        } catch { (events, tree, damage) = (nil, nil, error) }
        place = Mutex(Place(environment: environment, hold: hold))
    }

    /// The same file as of its last commit by now. A long walk over positions takes one after the other, each for a stretch: stored
    /// records never change, and a commit that is held for long lets the file grow beside a server.
    ///
    /// - Returns: this object where nothing is held, or after ``letGo()``.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    package func renewed() throws(EventLogError) -> LogFile {
        guard let environment = place.withLock({ $0.environment }) else { return self }
        do throws(LMDBError) { return try LogFile(file, environment) } catch { throw EventLogError(error) }
    }

    /// Bytes of address space that the log's writer has reserved for it; nil where the folder cannot be opened.
    var reservedBytes: Int? { place.withLock { $0.environment?.statistics.mapBytes } }

    /// Whether a server may continue writing without invalidating the read pages.
    package var isHeld: Bool { place.withLock { $0.hold != nil } }

    /// Lets the commit's pages go, for one that is looked at further only through ``renewed()``.
    package func letCommitGo() { place.withLock { $0.hold = nil } }

    /// Lets the commit's pages go, and the folder, which this process can then open in another way. What is read after it may be
    /// of another commit. Releasing the last reference does it too, but a thread that has ended may keep one for a moment.
    package func letGo() { place.withLock { $0 = Place() } }

    /// The last position, by the number of events.
    package var head: Position { Position(events?.entries ?? 0) }

    /// Whether a writer has committed while nothing held the commit's pages, so that findings about them mean nothing.
    package var isOvertaken: Bool { !isHeld && (try? file.newestHead().transaction) != commit.transaction }

    /// Reports faults of the head pages, and of every page that this commit uses.
    package func checkPages(_ report: @escaping (PageFinding) -> Void) {
        file.headFindings().forEach(report)
        FileWalk(file, head: commit, appended: ["events", "tree"], report: report).run()
    }
}

/// The stored tree, read with plain reads: for roots and proofs of a log that is being looked at.
extension LogFile: HashSource {
    /// The stored entries of a tile level; see ``LogTree/hashes(level:in:)``.
    package func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash] {
        guard let tree else { throw EventLogError(.damaged, "the log has no tree.") }
        var cursor = FileCursor(tree, in: file)
        var bytes: [UInt8] = []
        return try range.map { index in
            let position = (index + 1) << UInt64(8 * level)
            guard try cursor.seek(position) else { throw EventLogError(.damaged, "a hash is missing.", position: Position(position)) }
            try cursor.value(into: &bytes)
            return try Self.hash(in: bytes, level, position)
        }
    }

    private static func hash(in bytes: [UInt8], _ level: Int, _ position: UInt64) throws(EventLogError) -> NodeHash {
        let start = level * NodeHash.byteCount
        guard bytes.count >= start + NodeHash.byteCount, let hash = NodeHash(Array(bytes[start..<start + NodeHash.byteCount])) else {
            throw EventLogError(.damaged, "a hash of level \(level) is missing.", position: Position(position))
        }
        return hash
    }
}

extension LogFile {
    /// The faults of the log's description and of the names that it has given to numbers.
    ///
    /// - Parameter schema: the meaning of the numbers in this program.
    package func nameProblems(by schema: Schema) -> [String] {
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            guard let meta = tables["meta"], let names = tables["names"] else { return ["the log lacks its table meta or names."] }
            return metaProblems(try entries(of: meta)) + nameProblems(try entries(of: names), schema)
        } catch { return [error.statement] }
    }

    /// Refuses another program's file, which may be whole and yet is no log. One whose tables cannot be found is not judged.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/notALog``.
    package func requireOurs() throws(EventLogError) {
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            if tables["events"] != nil { return }
            if let meta = tables["meta"], try entries(of: meta)[LogMeta.magicKey] == LogMeta.magic { return }
        } catch { return }
        throw EventLogError(.notALog, "\(file.path) is an LMDB environment, but not one of ours.")
    }

    func entries(of tree: TreeRoot) throws(LMDBError) -> [[UInt8]: [UInt8]] {
        var entries: [[UInt8]: [UInt8]] = [:]
        var cursor = FileCursor(tree, in: file)
        var value: [UInt8] = []
        while try cursor.next() {
            try cursor.value(into: &value)
            entries[cursor.keyBytes] = value
        }
        return entries
    }

    private func metaProblems(_ entries: [[UInt8]: [UInt8]]) -> [String] {
        var problems: [String] = []
        if entries[LogMeta.magicKey] != LogMeta.magic { problems.append("it does not say that it is a log.") }
        var format: [UInt8] = []
        format.append(littleEndian: LogMeta.format)
        if entries[LogMeta.formatKey] != format { problems.append("it is not of format \(LogMeta.format).") }
        guard let created = entries[LogMeta.createdKey], created.count == 8 else {
            return problems + ["it does not say when it was created."]
        }
        problems += [LogMeta.createdKey, LogMeta.originKey].compactMap { guardProblem(of: $0, in: entries) }
        for key in entries.keys where !LogMeta.keys.contains(key) { problems.append("it says something under the strange key \(key).") }
        return problems
    }

    /// Logs older than guards have none, and logs older than names no name.
    private func guardProblem(of key: [UInt8], in entries: [[UInt8]: [UInt8]]) -> String? {
        guard let guarding = entries[LogMeta.guardKey(of: key)], guarding != entries[key]?.map({ ~$0 }) else { return nil }
        return "its \(String(decoding: key, as: UTF8.self)) does not fit the guard of it."
    }

    private func nameProblems(_ entries: [[UInt8]: [UInt8]], _ schema: Schema) -> [String] {
        entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, value in
            let name = String(decoding: value, as: UTF8.self)
            let expected: String?
            switch (key.first, key.count) {
            case (UInt8(ascii: "t"), 3): expected = schema.types[EventType(UInt16(key[1]) << 8 | UInt16(key[2]))]
            case (UInt8(ascii: "k"), 2): expected = schema.tagKinds[TagKind(key[1])]?.name
            default: return "a name under the strange key \(key)."
            }
            return expected == name ? nil : "number \(key.dropFirst()) is named '\(name)', and to this program \(expected ?? "nothing")."
        }
    }
}
