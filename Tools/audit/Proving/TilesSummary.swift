import Audit

/// A published tree as JSON.
struct TilesSummary: Encodable {
    let size, oldSize: UInt64
    let written, kept: Int

    init(_ summary: TileTree.Summary) {
        (size, oldSize) = (summary.size, summary.oldSize)
        (written, kept) = (summary.written, summary.kept)
    }
}
