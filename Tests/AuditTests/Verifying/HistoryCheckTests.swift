import EventLog
import Merkle
import Testing

@testable import Archive

/// The comparison of the tree's upper hashes with the hashes below them, over ranges of positions.
@Suite struct HistoryCheckTests {
    /// The roots of a range whose events could all be read.
    private static let full = Int(ChunkCheck.events) / ChunkCheck.tile

    /// Checks ranges with the given numbers of roots, of which the last one has a wrong hash of level 2 at its end.
    private func findings(roots: [Int]) throws -> [Finding] {
        let findings = FindingList()
        var check = HistoryCheck(findings, latest: .max)
        let root = try #require(NodeHash([UInt8](repeating: 1, count: NodeHash.byteCount)))
        for (number, count) in roots.enumerated() {
            var chunk = CheckedChunk(first: UInt64(number) * ChunkCheck.events + 1)
            chunk.roots = Array(repeating: root, count: count)
            let last = UInt64(number + 1) * ChunkCheck.events
            if number == roots.count - 1 { chunk.stored = [CheckedChunk.Stored(level: 2, position: last, hash: root)] }
            check.apply(chunk)
        }
        return findings.kept
    }

    @Test("A wrong hash of level 2 is found, but none is reported after a range whose roots are missing")
    func upperHashes() throws {
        let ranges = ChunkCheck.tile / Self.full
        let found = try findings(roots: Array(repeating: Self.full, count: ranges))
        #expect(found.map(\.kind) == [.tree] && found.first?.position == Position(65_536), "\(found)")
        // The missing roots move the end of the first tile into the last range, which ends with the hash of another tile.
        let damaged = Array(repeating: 0, count: ranges - 1) + [Self.full - 1]
        #expect(try findings(roots: damaged + Array(repeating: Self.full, count: ranges)) == [])
    }
}
