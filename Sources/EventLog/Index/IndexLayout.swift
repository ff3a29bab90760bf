/// Where things lie in the stored values of the index, in bytes. Numbers are little-endian; the format's name is ``IndexMeta/key``.
///
/// All runs live in one table of integers, one stored value for each *block* (entries) and each *part* (a filter and a directory):
///
///     key    run << 32 | number of the block, or run << 32 | 1 << 31 | number of the part; 0: the manifest
///     block  own key (8), entries, offset of each entry (2 each), number of entries (2)
///     entry  kind (1), type (2), value (16), then varints: count << 1 | isPiece; total, only of a piece and 0 unless it is the
///            list's first; first position, counted from the run's; and unless count is 1: last - first, the count - 1 differences
///     part   own key (8), blocks begun before (4), lines (4), directory entries (4), zeroes to 48, lines of 64, directory
///     directory entry   kind (1), type (2), value (16), first position (8): the first entry of a block
enum IndexLayout {
    /// Bytes of a block: four pages less the header that LMDB puts before a value of several pages.
    static let blockBytesMax = 4 * 4_096 - 16
    static let blockHeadBytes = 8
    static let typeAt = 1
    static let valueAt = 3
    /// Kind, type and value: what an entry begins with.
    static let keyBytes = 19
    /// Bytes of differences in one entry: longer lists go on in further entries, so that a page of a hot tag decodes little.
    static let pieceBytesMax = 256
    /// An entry's key, and four varints of ten bytes.
    static let entryHeadBytesMax = keyBytes + 40
    static let begunAt = 8
    static let linesAt = 12
    static let directoryCountAt = 16
    /// The first line: with LMDB's 16 bytes before the value, it begins a cache line.
    static let filterAt = 48
    static let lineBytes = 64
    static let directoryEntryBytes = keyBytes + 8
    /// Entries that get a share of a line: 16 bits for each, of which 8 are set.
    static let entriesPerLine = 32
    /// Tags that a part is meant for: its filter then fills a value of four pages.
    static let tagsPerPart = 7_000
    /// Entries that a filter is made for: a part with more, which only chosen values bring about, has none.
    static let filterEntriesMax = 65_536
    /// Marks the key of a part.
    static let partBit: UInt64 = 1 << 31
    /// The manifest's key: there is no run 0.
    static let manifestKey: UInt64 = 0
    /// Bytes of a run in the manifest.
    static let runBytes = 40
}
