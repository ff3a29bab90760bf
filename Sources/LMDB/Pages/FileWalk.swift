/// Checks every page of an environment's file as of one commit. Each must belong to exactly one of: the head pages, the free pages with
/// their list, the table of tables, another table.
///
/// A table with several values for a key is reported as a finding.
public struct FileWalk {
    let file: PageFile
    let head: HeadPage
    /// Tables to which entries were only ever appended, checked more strictly.
    private let appended: Set<String>
    /// A log never replaces values; otherwise LMDB may keep any value on pages of its own.
    let replaces: Bool
    let report: (PageFinding) -> Void

    /// Prepares the check.
    ///
    /// - Parameter report: gets each finding, on the caller's thread. One may be the cause of others.
    public init(
        _ file: PageFile, head: HeadPage, appended: Set<String> = [], replaces: Bool = false, report: @escaping (PageFinding) -> Void
    ) {
        (self.file, self.head, self.appended, self.replaces, self.report) = (file, head, appended, replaces, report)
    }

    /// Checks the whole file, unless a ``SearchStop`` ends that. Memory: one bit per page.
    public func run() {
        // A damaged head page may claim more pages than memory can count.
        let pagesMax = UInt64(file.byteCount / file.pageBytes) + Self.unwrittenPagesMax
        var census = PageCensus(count: min(head.lastPage, pagesMax - 1) + 1)
        for (name, tree) in tables(&census) { walk(tree, name, &census) }
        walkFreePages(&census)
        if SearchStop.isWanted { return }
        for page in census.untaken(limit: Self.lostPagesMax) {
            report(PageFinding(page: page, "it belongs to no table, and is not in the list of free pages either"))
        }
    }

    /// Pages that one transaction took and freed are counted but never written.
    static let unwrittenPagesMax: UInt64 = 1 << 20
    /// One fault usually loses many pages.
    private static let lostPagesMax = 3

    private func walk(_ tree: TreeRoot, _ name: String, _ census: inout PageCensus) {
        guard tree.pad == 0, tree.flags == 0 || tree.flags == TreeRoot.integerKeys else {
            return report(PageFinding(page: nil, table: name, "its flags are \(tree.flags) and \(tree.pad)"))
        }
        var walk = TreeWalk(tree, of: name, in: file, appends: appended.contains(name), replaces: replaces, census: census, report: report)
        walk.run()
        census = walk.census
    }

    private func tables(_ census: inout PageCensus) -> [(name: String, tree: TreeRoot)] {
        var found: [(String, TreeRoot?)] = []
        var walk = TreeWalk(head.main, of: nil, in: file, replaces: replaces, census: census, report: report) { key, node, page in
            found.append((String(decoding: key.bytes, as: UTF8.self), Self.tree(node, in: page)))
        }
        walk.run()
        census = walk.census
        for (name, tree) in found where tree == nil { report(PageFinding(page: nil, table: name, "it is no table")) }
        return found.compactMap { name, tree in tree.map { (name, $0) } }
    }

    static func tree(_ node: PageNode, in page: [UInt8]) -> TreeRoot? {
        let start = node.key.upperBound
        guard node.flags == PageNode.subTree, node.valueBytes == TreeRoot.byteCount, start + TreeRoot.byteCount <= page.count else {
            return nil
        }
        return TreeRoot(page.span, at: start)
    }
}

extension FileWalk {
    /// Each list has the number of freed pages, and then the pages in descending order.
    func walkFreePages(_ census: inout PageCensus) {
        var lists: [(key: PageKey, node: PageNode, place: UInt64, bytes: [UInt8])] = []
        var walk = TreeWalk(
            head.free, of: "free pages", in: file, replaces: replaces, census: census, report: report
        ) { key, node, page in
            let start = node.key.upperBound
            let image = PageImage(bytes: page)
            let inline = node.isBig ? [] : Array(page[start..<min(page.count, start + node.valueBytes)])
            lists.append((key, node, image.load64(start), inline))
        }
        walk.run()
        census = walk.census
        for list in lists { take(list, &census) }
    }

    private func take(_ list: (key: PageKey, node: PageNode, place: UInt64, bytes: [UInt8]), _ census: inout PageCensus) {
        if list.key.number == 0 || list.key.number > head.transaction {
            let what = "a list of transaction \(list.key), and the last one is \(head.transaction)"
            report(PageFinding(page: nil, table: "free pages", what))
        }
        var image = PageImage(bytes: list.bytes)
        if list.node.isBig, !file.readBig(list.node.valueBytes, from: list.place, into: &image.bytes) {
            return report(PageFinding(page: list.place, table: "free pages", "the file does not hold the list of transaction \(list.key)"))
        }
        if let problem = problem(of: image, &census) {
            report(PageFinding(page: nil, table: "free pages", "the list of transaction \(list.key): \(problem)"))
        }
    }

    private func problem(of list: PageImage, _ census: inout PageCensus) -> String? {
        let count = list.load64(0)
        guard list.bytes.count % 8 == 0, count < list.bytes.count / 8 else { return "\(count) pages in \(list.bytes.count) bytes" }
        var before = UInt64.max
        for index in 1..<Int(count) + 1 {
            let page = list.load64(8 * index)
            if page >= before { return "page \(page) follows \(before)" }
            if let problem = census.take(page) { return problem }
            before = page
        }
        return nil
    }
}

/// Ends searches of files early, without a finding. A task-local value reaches through many layers; it is an object, because a task-local
/// closure crashes optimised code (Swift 6.3.1).
package final class SearchStop: Sendable {
    @TaskLocal private static var current: SearchStop?

    /// Whether the calling thread's searches should end.
    package static var isWanted: Bool { current?.isWanted() ?? false }

    private let isWanted: @Sendable () -> Bool

    private init(_ isWanted: @escaping @Sendable () -> Bool) { self.isWanted = isWanted }

    /// Calls `work`, whose searches end once `isWanted` returns true, which it MUST then always do.
    package static func when(_ isWanted: @escaping @Sendable () -> Bool, _ work: () -> Void) {
        $current.withValue(SearchStop(isWanted), operation: work)
    }
}

/// A fault in an environment's file: content that LMDB would not have written.
public struct PageFinding: Hashable, Sendable, CustomStringConvertible {
    /// The page's number, from 0; nil if no single page has the fault.
    public let page: UInt64?
    /// The table's name, or `free pages`; nil if the fault is elsewhere, also in the table of tables.
    public let table: String?
    /// The fault, in English.
    public let what: String

    init(page: UInt64?, table: String? = nil, _ what: String) { (self.page, self.table, self.what) = (page, table, what) }

    /// Such as "page 12 of table events: …".
    public var description: String {
        let place = [page.map { "page \($0)" }, table.map { "table \($0)" }].compactMap { $0 }.joined(separator: " of ")
        return place.isEmpty ? what : "\(place): \(what)"
    }
}

/// The first finding, and the first that names a page. Later ones, such as lost pages, are usually consequences.
public final class FirstFindings {
    private var first: PageFinding?
    private var firstWithPage: PageFinding?

    public init() {}

    /// Takes the next finding.
    public func add(_ finding: PageFinding) {
        first = first ?? finding
        if finding.page != nil { firstWithPage = firstWithPage ?? finding }
    }

    /// The finding to show; nil if there is none.
    public var cause: PageFinding? { firstWithPage ?? first }
}
