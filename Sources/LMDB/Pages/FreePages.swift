/// The unused pages in an environment's file, which commits use before the file grows.
///
/// They are counted with plain reads as of one commit, whose pages a reader slot protects if the folder can be opened. The file never
/// shrinks, but a copy leaves free pages out.
public struct FreePages: Hashable, Sendable {
    public let count: UInt64
    public let pageBytes: Int

    /// In bytes.
    public var bytes: Int { Int(clamping: count) * pageBytes }

    /// Counts the free pages of an environment's folder as of the last commit.
    ///
    /// - Throws: ``LMDBError`` `.missing`, `.permission`, `.foreign`, `.damaged`.
    public init(in directory: String) throws(LMDBError) {
        let file = try PageFile(in: directory)
        // If this process has the folder open, pages may be reused during the count, and the result may be out of date.
        let environment = try? Environment(directory: directory, access: .readOnly)
        let hold = environment.flatMap { try? SnapshotHold($0) }
        let head = if let held = hold.flatMap({ file.head(of: $0.number) }) { held } else { try file.newestHead() }
        (count, pageBytes) = (Self.count(of: head, in: file), file.pageBytes)
        withExtendedLifetime(hold) {}
    }

    /// A damaged list is counted up to the damage.
    private static func count(of head: HeadPage, in file: PageFile) -> UInt64 {
        let pagesMax = UInt64(file.byteCount / file.pageBytes) + FileWalk.unwrittenPagesMax
        // A damaged head page may name any page number.
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
