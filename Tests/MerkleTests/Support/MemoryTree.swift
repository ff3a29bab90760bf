import Merkle
import Testing

/// A Merkle tree whose hashes are kept in memory. ``TreeEdge`` computes the hashes, and this class returns them as a ``HashSource``.
///
/// The tree counts the hashes that are read. The test fails if one request asks for more hashes than a tile has.
final class MemoryTree: HashSource {
    private(set) var levels: [[NodeHash]] = [[]]
    private(set) var records: [[UInt8]] = []
    private(set) var edge = TreeEdge()
    var entriesRead = 0

    init(_ records: [[UInt8]] = []) {
        for record in records { append(record) }
    }

    func append(_ record: [UInt8]) {
        var entries: [TreeEntry] = []
        edge.append(record, completing: &entries)
        records.append(record)
        for entry in entries { store(entry) }
    }

    private func store(_ entry: TreeEntry) {
        if entry.level == levels.count { levels.append([]) }
        // `#expect` is not used here, because it takes longer than the append.
        if entry.index != UInt64(levels[entry.level].count) {
            Issue.record("entry \(entry.index) of level \(entry.level) is not the next")
        }
        levels[entry.level].append(entry.hash)
    }

    func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash] {
        #expect(range.count <= MerkleLimits.tileWidth)
        entriesRead += range.count
        guard level < levels.count, range.upperBound <= UInt64(levels[level].count) else {
            throw MerkleError(.missingHash, "level \(level), \(range)")
        }
        return Array(levels[level][Int(range.lowerBound)..<Int(range.upperBound)])
    }
}

/// Distinct records of a few bytes each.
func numberedRecords(_ count: Int) -> [[UInt8]] { (0..<count).map { Array("record \($0)".utf8) } }
