/// The number of unused pages in an environment's file. The next commits use these pages before the file grows.
///
/// The pages are counted with plain reads from LMDB's own list, as of one commit. If the folder can be opened, a reader slot keeps that
/// commit's pages from being reused during the count. The file never shrinks, but a copy of the environment leaves free pages out.
public struct FreePages: Hashable, Sendable {
    public let count: UInt64
    public let pageBytes: Int

    /// The total size of the free pages in bytes.
    public var bytes: Int { Int(clamping: count) * pageBytes }

    /// Counts the free pages as of the last commit.
    ///
    /// - Parameter directory: an environment's folder.
    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/permission``, ``LMDBError/Code/foreign``, ``LMDBError/Code/damaged``.
    public init(in directory: String) throws(LMDBError) {
        let file = try PageFile(in: directory)
        // Opening an environment reads only its head pages. It fails if this process has the folder open already. Then the commit's pages
        // may be reused during the count, and the result may be out of date.
        let environment = try? Environment(directory: directory, access: .readOnly)
        let hold = environment.flatMap { try? SnapshotHold($0) }
        let held = hold.flatMap { file.head(of: $0.number) }
        let head: HeadPage
        if let held { head = held } else { head = try file.newestHead() }
        (count, pageBytes) = (Self.count(of: head, in: file), file.pageBytes)
        withExtendedLifetime(hold) {}
    }

    /// Adds up the lengths of the lists of free pages. For each transaction, LMDB stores the number of pages that the transaction freed,
    /// and then these pages. A damaged list is counted up to the damage.
    private static func count(of head: HeadPage, in file: PageFile) -> UInt64 {
        let pagesMax = UInt64(file.byteCount / file.pageBytes) + FileWalk.unwrittenPagesMax
        // A damaged head page may name any page number, so the number is limited by the file's length.
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
