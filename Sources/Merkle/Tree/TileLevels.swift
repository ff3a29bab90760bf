/// How the levels of tiles and the heights of subtrees go together.
enum TileLevels {
    /// Levels of the binary tree between two tile levels: 2^8 = 256.
    static let height = 8

    /// How many entries a tile level has in a tree: ⌊size / 256^level⌋.
    static func entries(level: Int, size: UInt64) -> UInt64 {
        level < UInt64.bitWidth / height ? size >> UInt64(level * height) : 0
    }
}
