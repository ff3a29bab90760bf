import Merkle
import Seeds
import Testing

@Suite struct TilePathTests {
    static let paths: [(String, Tile.Kind, UInt64, Int)] = [
        ("tile/0/000", .hashes(level: 0), 0, 256),
        ("tile/0/x001/x234/067", .hashes(level: 0), 1_234_067, 256),
        ("tile/0/999", .hashes(level: 0), 999, 256),
        ("tile/0/x001/000", .hashes(level: 0), 1_000, 256),
        ("tile/2/000.p/1", .hashes(level: 2), 0, 1),
        ("tile/0/273.p/112", .hashes(level: 0), 273, 112),
        ("tile/63/x999/x999/999.p/255", .hashes(level: 63), 999_999_999, 255),
        ("tile/entries/000", .entries, 0, 256),
        ("tile/entries/x001/x234/067.p/9", .entries, 1_234_067, 9),
        ("tile/0/x036/x028/x797/x018/x963/967", .hashes(level: 0), 36_028_797_018_963_967, 256),
    ]

    @Test("A tile's path is written and read as the specification says", arguments: paths)
    func pathsAreWrittenAndRead(_ path: String, _ kind: Tile.Kind, _ index: UInt64, _ width: Int) throws {
        let tile = try Tile(kind, index: index, width: width)
        #expect(tile.path == path && "\(tile)" == path)
        #expect(try Tile(path: path) == tile)
    }

    @Test(
        "A path that is not exactly a tile's is refused",
        arguments: [
            "", "tile", "tile/", "tile/0", "tile/0/", "/tile/0/000", "tile/0/000/", "tile//000", "Tile/0/000", "tiles/0/000",
            "tile/00/000", "tile/01/000", "tile/64/000", "tile/-1/000", "tile/+1/000", "tile/0x/000", "tile/٠/000", "tile/entry/000",
            "tile/Entries/000", "tile/0/0", "tile/0/00", "tile/0/0000", "tile/0/x000", "tile/0/x000/000", "tile/0/x000/001",
            "tile/0/001/x000", "tile/0/001/000", "tile/0/x001/x000", "tile/0/x01/000", "tile/0/x0001/000", "tile/0/X001/000",
            "tile/0/xx01/000", "tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/0", "tile/0/000.p/00", "tile/0/000.p/01",
            "tile/0/000.p/256", "tile/0/000.p/1000", "tile/0/000.p/-1", "tile/0/000.p/1/", "tile/0/000.p/1/1", "tile/0/000.P/1",
            "tile/0/000p/1", "tile/0/.p/1", "tile/.p/1", "tile/0/x001.p/000", "tile/0/x001.p/000.p/1", "tile/0/000.p/1.p/1",
            "tile/0/ 00",
            "tile/0/000?", "tile/0/000\n", "tile/0/%30%30%30", "tile/0/../000", "tile/0/x036/x028/x797/x018/x963/968",
            "tile/0/x999/x999/x999/x999/x999/x999/999", "tile/0/x018/x446/x744/x073/x709/x551/616", "tile/0/00\u{301}",
        ])
    func otherPathsAreRefused(_ path: String) {
        #expect(refusal { _ = try Tile(path: path) } == .malformedTile)
    }

    @Test("A random tile is read back from its path")
    func randomTilesComeBack() throws {
        var seed = SeededRandom.announced("Tile paths")
        for _ in 0..<2_000 {
            let kind: Tile.Kind = Bool.random(using: &seed) ? .entries : .hashes(level: Int.random(in: 0...63, using: &seed))
            let index = UInt64.random(in: 0...1 << 55 - 1, using: &seed) >> UInt64.random(in: 0...54, using: &seed)
            let tile = try Tile(kind, index: index, width: Int.random(in: 1...256, using: &seed))
            #expect(try Tile(path: tile.path) == tile)
        }
    }

    /// After a random byte of a path is replaced, the path is either rejected, or exactly the path of the tile that it gives.
    @Test("A path with a changed byte is refused, or is exactly another tile's path")
    func noTileHasTwoPaths() throws {
        var seed = SeededRandom.announced("Tile path bytes")
        for (path, _, _, _) in Self.paths {
            for _ in 0..<300 {
                var bytes = Array(path.utf8)
                bytes[Int.random(in: 0..<bytes.count, using: &seed)] = UInt8.random(in: 32...126, using: &seed)
                let text = String(decoding: bytes, as: UTF8.self)
                if let tile = try? Tile(path: text) { #expect(tile.path == text) }
            }
        }
    }

    @Test("A tile beyond the levels, indexes or widths of a tree is refused")
    func tilesThatDoNotExistAreRefused() {
        #expect(refusal { _ = try Tile(.hashes(level: 64), index: 0) } == .outOfRange)
        #expect(refusal { _ = try Tile(.hashes(level: -1), index: 0) } == .outOfRange)
        #expect(refusal { _ = try Tile(.entries, index: 1 << 55) } == .outOfRange)
        #expect(refusal { _ = try Tile(.entries, index: 0, width: 0) } == .outOfRange)
        #expect(refusal { _ = try Tile(.entries, index: 0, width: 257) } == .outOfRange)
    }
}
