internal import LMDB
internal import Merkle

/// The records that can still be read from a log's file with damage anywhere, without the storage engine.
///
/// Records are reached from their table's root, else by searching all pages for leaves. A found page may be of an earlier commit, which is
/// no error, or of one that a crash cut short, after which another record got the position. So several different records count as none.
///
/// A record is proved by its hash in the tree, or by the hash over its 256 leaves.
package struct LogRemains {
    /// The remains of one position.
    package enum Entry: Hashable, Sendable {
        /// There is no record, or only a changed one.
        case missing
        /// The record's hashes are lost as well.
        case unproved([UInt8])
        /// The record that was stored.
        case proved([UInt8])
    }

    /// The last position. If that is damaged, the last one of which anything was found.
    package private(set) var head: UInt64
    package let origin: String?
    private let reader: RemainsReader

    private static let leavesOfParent: UInt64 = 256
    private static let entryBytesMin = 18

    /// Opens a log's file, and searches all pages if one is damaged. No process may write to it meanwhile.
    ///
    /// - Parameter headMin: a position that a signed checkpoint shows.
    /// - Throws: ``EventLogError`` `.missing`, `.damaged` if the file has no page at all, `.storage`.
    package init(directory: String, headMin: UInt64 = 0) throws(EventLogError) {
        let file: PageFile
        do throws(LMDBError) { file = try PageFile(in: directory, needsHead: false) } catch { throw EventLogError(opening: error) }
        let (heads, commits) = (file.heads, file.heads.map { (try? file.tables(of: $0)) ?? [:] })
        let known = commits.firstIndex { $0["events"] != nil }
        let tables = known.map { commits[$0] } ?? [:]
        // Both tables state the same number of entries, unless one is damaged.
        let stated = [tables["events"], tables["tree"]].compactMap { $0?.entries }
        let agreed = stated.allSatisfy { $0 == stated[0] } ? stated.first : nil
        let keyMax = max(UInt64(file.byteCount / Self.entryBytesMin), stated.count == 2 ? agreed ?? 0 : 0, headMin) + 1
        let events = RemainsTable(tables["events"], in: file, keyMax)
        let hashes = RemainsTable(tables["tree"], in: file, keyMax)
        var head = max(min(agreed ?? stated.min() ?? 0, keyMax), events.last, hashes.last)
        let isCertain = known == 0 && heads.count == 2 && head == agreed
        origin = tables["meta"].flatMap { Self.origin(in: $0, of: file) }
        var reader = RemainsReader(events: events, hashes: hashes)
        let isWhole = head == 0 || events.keys.contains(1...head) && hashes.keys.contains(1...head)
        if !isCertain || !isWhole {
            reader.found = FoundLeaves(in: file, keyMax: keyMax, valueBytesMax: LogLimits.recordBytesMax) { keys in
                !events.keys.contains(keys) || !hashes.keys.contains(keys)
            }
        }
        self.reader = reader
        // The pages that lead to the newest commit may be lost.
        if !isCertain {
            for position in head + 1...max(head + 1, reader.found?.lastKey ?? 0) where reader.leaf(at: position).record != nil {
                head = position
            }
            head = max(head, headMin)
        }
        self.head = head
    }

    /// From position 1 on; reads the file anew.
    package func forEach(_ body: (Position, Entry) throws -> Void) rethrows {
        var (reader, next) = (reader, UInt64(1))
        while next <= head {
            let last = min(head, (next - 1) / Self.leavesOfParent * Self.leavesOfParent + Self.leavesOfParent)
            for (index, entry) in reader.entries(of: next...last).enumerated() { try body(Position(next + UInt64(index)), entry) }
            next = last + 1
        }
    }

    private static func origin(in meta: TreeRoot, of file: PageFile) -> String? {
        var (cursor, values, value) = (FileCursor(meta, in: file), [[UInt8]: [UInt8]](), [UInt8]())
        while (try? cursor.next()) == true, (try? cursor.value(into: &value)) != nil { values[cursor.keyBytes] = value }
        guard let name = values[LogMeta.originKey], values[LogMeta.guardKey(of: LogMeta.originKey)] == name.map({ ~$0 }) else { return nil }
        return String(validating: name, as: UTF8.self)
    }
}

/// One of the log's two tables, as far as it can be reached from its root.
private struct RemainsTable {
    let keys: KeyRanges
    private var cursor: FileCursor?

    init(_ tree: TreeRoot?, in file: PageFile, _ keyMax: UInt64) {
        keys = tree.map { file.reachedKeys(of: $0, keyMax: keyMax) } ?? KeyRanges()
        cursor = tree.map { FileCursor($0, in: file) }
    }

    var last: UInt64 { keys.ranges.last?.upperBound ?? 0 }

    mutating func value(of key: UInt64) -> [UInt8]? {
        guard keys.range(of: key) != nil, let at = cursor?.key else { return nil }
        var bytes: [UInt8] = []
        do {
            guard try at > 0 && at + 1 == key ? cursor?.next() == true && cursor?.key == key : cursor?.seek(key) == true else { return nil }
            try cursor?.value(into: &bytes)
        } catch { return nil }
        return bytes
    }
}

/// Reads positions in ascending order. A copy begins anew.
private struct RemainsReader {
    var events: RemainsTable
    var hashes: RemainsTable
    /// Nil if no search was needed.
    var found: FoundLeaves?
    private var hasher = TreeHasher()

    init(events: RemainsTable, hashes: RemainsTable) { (self.events, self.hashes) = (events, hashes) }

    struct Leaf {
        var record: [UInt8]?
        /// The hash of the record.
        var own: NodeHash?
        var stored: NodeHash?
        /// Then a difference is the record's.
        var isReached = false
        var parent: NodeHash?
    }

    mutating func leaf(at position: UInt64) -> Leaf {
        let values = found?.values(of: position) ?? []
        var leaf = Leaf()
        let (reachedHash, reachedRecord) = (hashes.value(of: position), events.value(of: position))
        leaf.isReached = reachedHash != nil && reachedRecord != nil
        let hash = reachedHash ?? Self.only(values.filter { Self.isHash($0, at: position) })
        if let hash, Self.isHash(hash, at: position) {
            leaf.stored = NodeHash(Array(hash.prefix(NodeHash.byteCount)))
            leaf.parent = NodeHash(Array(hash.dropFirst(NodeHash.byteCount).prefix(NodeHash.byteCount)))
        }
        let records = (reachedRecord.map { [$0] } ?? values).filter { Record($0.span) != nil }
        leaf.record = records.first { hasher.leaf($0) == leaf.stored } ?? Self.only(records)
        leaf.own = leaf.record.map { hasher.leaf($0) }
        return leaf
    }

    /// At most 256 positions with one hash in common.
    mutating func entries(of positions: ClosedRange<UInt64>) -> [LogRemains.Entry] {
        var leaves: [Leaf] = []
        for position in positions { leaves.append(leaf(at: position)) }
        let isProved = isWhole(leaves)
        return leaves.map { leaf in
            guard let record = leaf.record else { return .missing }
            if isProved || leaf.own == leaf.stored { return .proved(record) }
            return leaf.stored == nil || !leaf.isReached ? .unproved(record) : .missing
        }
    }

    private func isWhole(_ leaves: [Leaf]) -> Bool {
        guard let parent = leaves.last?.parent, leaves.contains(where: { $0.own != $0.stored }) else { return false }
        var (edge, entries): (TreeEdge, [TreeEntry]) = (TreeEdge(), [])
        for leaf in leaves {
            guard let own = leaf.own else { return false }
            edge.append(leaf: own, completing: &entries)
        }
        return edge.root == parent
    }

    /// A found page may be of the list of free pages, whose values begin with a count.
    private static func isHash(_ bytes: [UInt8], at position: UInt64) -> Bool {
        bytes.count == NodeHash.byteCount * LogTree.hashCount(at: position) && bytes.span.littleEndian64(at: 0) >= bytes.count / 8
    }

    private static func only(_ values: [[UInt8]]) -> [UInt8]? { values.first { first in values.allSatisfy { $0 == first } } }
}
