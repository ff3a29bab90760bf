/// The pages of an environment's file that nothing uses: room that the next commits take before the file grows.
///
/// They are counted with plain reads from LMDB's own list, and as of one commit, which a reader slot holds meanwhile where the folder can
/// be opened. The file never shrinks: only a copy is made without them.
public struct FreePages: Hashable, Sendable {
    public let count: UInt64
    public let pageBytes: Int

    /// Bytes of these pages.
    public var bytes: Int { Int(clamping: count) * pageBytes }

    /// - Parameter directory: an environment's folder.
    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/permission``, ``LMDBError/Code/foreign``, ``LMDBError/Code/damaged``.
    public init(in directory: String) throws(LMDBError) {
        let file = try PageFile(in: directory)
        // Opening reads only the head pages. Where this process has the folder open already, nothing is held, and a count may be old.
        let environment = try? Environment(directory: directory, access: .readOnly)
        let hold = environment.flatMap { try? SnapshotHold($0) }
        let held = hold.flatMap { file.head(of: $0.number) }
        let head: HeadPage
        if let held { head = held } else { head = try file.newestHead() }
        (count, pageBytes) = (Self.count(of: head, in: file), file.pageBytes)
        withExtendedLifetime(hold) {}
    }

    /// For each transaction the list holds the pages that it freed: first their number, then the pages. A damaged list counts as far as it
    /// can be read.
    private static func count(of head: HeadPage, in file: PageFile) -> UInt64 {
        let pagesMax = UInt64(file.byteCount / file.pageBytes) + FileWalk.unwrittenPagesMax
        // A damaged head may name any page; the file's length bounds it.
        let census = PageCensus(count: min(head.lastPage, pagesMax - 1) + 1)
        var (count, head64) = (UInt64(0), [UInt8]())
        var walk = TreeWalk(head.free, of: "free pages", in: file, census: census, report: { _ in }) { _, node, page in
            let image = PageImage(bytes: page)
            let start = node.key.upperBound
            var listed = image.load64(start)
            if node.isBig {
                guard file.read(8, from: listed, at: PageImage.headBytes, into: &head64) else { return }
                listed = PageImage(bytes: head64).load64(0)
            }
            count += min(listed, UInt64(node.valueBytes / 8))
        }
        walk.run()
        return min(count, head.lastPage, pagesMax)
    }
}
