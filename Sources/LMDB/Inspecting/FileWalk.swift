/// Looks at every page of an environment's file as of one commit: the head pages, the list of free pages, the table of tables,
/// and each table; and that every page is exactly one of these.
///
/// It is made for a log, whose tables are of bytes and of integers; a table with several values under a key is a finding. So is a big
/// value that a small one has replaced, for which LMDB keeps the pages: a log replaces nothing.
public struct FileWalk {
    let file: PageFile
    let head: HeadPage
    /// Tables that only ever grew at their end: their branches are compared more strictly.
    private let appended: Set<String>
    let report: (PageFinding) -> Void

    /// A walk over a file as of a commit.
    ///
    /// - Parameter report: gets each finding, on the caller's thread. One finding may be the cause of others.
    public init(_ file: PageFile, head: HeadPage, appended: Set<String> = [], report: @escaping (PageFinding) -> Void) {
        (self.file, self.head, self.appended, self.report) = (file, head, appended, report)
    }

    /// Looks at all of it. Memory: a bit for each page of the file.
    public func run() {
        // A damaged head may speak of more pages than could be counted.
        let pagesMax = UInt64(file.byteCount / file.pageBytes) + Self.unwrittenPagesMax
        var census = PageCensus(count: min(head.lastPage + 1, pagesMax))
        var tables: [(String, TreeRoot)] = []
        walkTables(&census) { tables.append(($0, $1)) }
        for (name, tree) in tables { walk(tree, name, &census) }
        walkFreePages(&census)
        for page in census.untaken(limit: Self.lostPagesMax) {
            report(PageFinding(page: page, "it belongs to no table, and is not in the list of free pages either"))
        }
    }

    /// Pages that a transaction both took and freed are counted, but never written, so a file may be a little shorter.
    private static let unwrittenPagesMax: UInt64 = 1 << 20
    /// Lost pages to report: one cause mostly loses many.
    private static let lostPagesMax = 3

    private func walk(_ tree: TreeRoot, _ name: String, _ census: inout PageCensus) {
        guard tree.pad == 0, tree.flags == 0 || tree.flags == TreeRoot.integerKeys else {
            return report(PageFinding(page: nil, table: name, "its flags are \(tree.flags) and \(tree.pad)"))
        }
        var walk = TreeWalk(tree, of: name, in: file, appends: appended.contains(name), census: census, report: report)
        walk.run()
        census = walk.census
    }

    private func walkTables(_ census: inout PageCensus, _ body: (String, TreeRoot) -> Void) {
        var found: [(String, TreeRoot?)] = []
        var walk = TreeWalk(head.main, of: nil, in: file, census: census, report: report) { key, node, page in
            found.append((String(decoding: key.bytes, as: UTF8.self), Self.tree(node, in: page)))
        }
        walk.run()
        census = walk.census
        for (name, tree) in found {
            if let tree { body(name, tree) } else { report(PageFinding(page: nil, table: name, "it is no table")) }
        }
    }

    static func tree(_ node: PageNode, in page: [UInt8]) -> TreeRoot? {
        let start = node.key.upperBound
        guard node.flags == PageNode.subTree, node.valueBytes == TreeRoot.byteCount, start + TreeRoot.byteCount <= page.count else {
            return nil
        }
        return TreeRoot(page.span, at: start)
    }
}
