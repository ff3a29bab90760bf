import Merkle
import Seeds
import Testing

@Suite struct TileTests {
    /// The tree sizes that the specification gives as examples, and sizes next to them.
    static let trees: [(UInt64, [String])] = [
        (0, []),
        (1, ["tile/0/000.p/1"]),
        (255, ["tile/0/000.p/255"]),
        (256, ["tile/0/000", "tile/1/000.p/1"]),
        (257, ["tile/0/000", "tile/0/001.p/1", "tile/1/000.p/1"]),
        (512, ["tile/0/000", "tile/0/001", "tile/1/000.p/2"]),
    ]

    @Test("A tree of a given size has the expected tiles", arguments: trees)
    func aTreeHasItsTiles(_ size: UInt64, _ paths: [String]) {
        #expect(TileSequence(of: size).map(\.path) == paths)
    }

    @Test("The specification's tree of 70,000 entries has the tiles that it lists")
    func theSpecificationsLargeExample() {
        let tiles = Array(TileSequence(of: 70_000))
        #expect(tiles.count { $0.level == 0 && $0.isFull } == 273)
        #expect(tiles.count { $0.level == 1 && $0.isFull } == 1)
        #expect(tiles.filter { !$0.isFull }.map(\.path) == ["tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"])
        #expect(Set(tiles).count == tiles.count)
    }

    @Test("A grown tree's new tiles are those that the smaller one does not have")
    func whatATreeGetsIsWhatItLacks() {
        var seed = SeededRandom.announced("Tile growth")
        for _ in 0..<200 {
            let new = UInt64.random(in: 0...200_000, using: &seed) >> UInt64.random(in: 0...17, using: &seed)
            let old = UInt64.random(in: 0...new, using: &seed)
            let expected = Set(TileSequence(of: new)).subtracting(TileSequence(of: old))
            let added = Array(TileSequence(from: old, to: new))
            #expect(Set(added) == expected && added.count == expected.count, "\(old) to \(new)")
        }
        #expect(Array(TileSequence(from: 5, to: 5)).isEmpty)
        #expect(Array(TileSequence(from: 6, to: 5)).isEmpty)
    }

    @Test("The tiles of the largest tree end")
    func theLargestTreeHasAnEnd() {
        var tiles = TileSequence(from: MerkleLimits.sizeMax - 1, to: MerkleLimits.sizeMax)
        #expect(tiles.next()?.path == "tile/0/x036/x028/x797/x018/x963/967.p/255")
        #expect(tiles.next() == nil)
    }

    @Test("A tile's hashes are those that the oracle computes")
    func aTilesHashesAreTheOracles() throws {
        let records = numberedRecords(70_000)
        let (tree, oracle) = (MemoryTree(records), Oracle(records))
        for tile in TileSequence(of: 70_000) where tile.level > 0 || tile.index.isMultiple(of: 17) || !tile.isFull {
            let bytes = try tree.bytes(of: tile)
            #expect(bytes.count == tile.width * 32 && tile.isWithin(size: 70_000))
            let leaves = [1, 256, 65_536][tile.level]
            let expected = tile.range.map { hash(oracle.root(Int($0) * leaves..<(Int($0) + 1) * leaves)) }
            #expect(try tile.hashes(in: bytes) == expected, "\(tile)")
        }
    }

    @Test("A tile is given only if all of its hashes are there")
    func onlyWholeTilesAreReadAndGiven() throws {
        let tree = MemoryTree(numberedRecords(300))
        let tile = try Tile(.hashes(level: 0), index: 1, width: 44)
        #expect(try tree.bytes(of: tile).count == 44 * 32)
        #expect(refusal { _ = try tree.bytes(of: try Tile(.hashes(level: 0), index: 1, width: 45)) } == .missingHash)
        #expect(refusal { _ = try tree.bytes(of: try Tile(.entries, index: 0)) } == .outOfRange)
        for count in [0, 1, 44 * 32 - 1, 44 * 32 + 1] {
            #expect(refusal { _ = try tile.hashes(in: [UInt8](repeating: 0, count: count)) } == .malformedTile)
        }
    }

    @Test(
        "A tile belongs to a tree as soon as its last hash does",
        arguments: [
            ("tile/0/000", 256, 255), ("tile/0/001.p/3", 259, 258), ("tile/1/000.p/2", 512, 511), ("tile/entries/000.p/9", 9, 8),
            ("tile/2/000.p/1", 65_536, 65_535), ("tile/7/000.p/127", MerkleLimits.sizeMax, (127 << 56) - 1),
        ] as [(String, UInt64, UInt64)])
    func aTreeHasATileFromItsLastHashOn(_ path: String, _ first: UInt64, _ before: UInt64) throws {
        let tile = try Tile(path: path)
        #expect(tile.isWithin(size: first))
        #expect(!tile.isWithin(size: before))
    }

    @Test("No tree has a tile of level 8 or above")
    func levelsBeyondEveryTreeAreEmpty() throws {
        for level in 8...63 { #expect(!(try Tile(.hashes(level: level), index: 0, width: 1).isWithin(size: MerkleLimits.sizeMax))) }
    }

    @Test("Only a tile of level 0 has a bundle of entries beside it")
    func entriesStandBesideLevelNull() throws {
        #expect(try Tile(.hashes(level: 0), index: 7, width: 3).entries == Tile(.entries, index: 7, width: 3))
        #expect(try Tile(.hashes(level: 1), index: 7, width: 3).entries == nil)
    }
}
