internal import Glibc

/// Mends a file in which one head page, or the newer one's trees, are damaged and everything else is whole.
///
/// LMDB opens no file without two head pages, and reads its trees through the newer one. Either head may be the damaged one: if its own
/// part names a whole commit right after the other's, only its beginning is made anew. Otherwise it becomes a copy of the whole one.
public struct HeadMend: Sendable {
    private let path: String
    private let offset: Int
    private let page: [UInt8]
    /// Whether the last commit is certainly the one that is shown from now on. If not, the damaged head may have been that of a later one.
    public let keepsAll: Bool

    /// Plans the mending and changes nothing. Takes as long as reading the file.
    ///
    /// Nil if nothing is damaged, or neither head page leads to a whole commit.
    public init?(in directory: String) {
        guard let file = try? PageFile(in: directory, needsHead: false) else { return nil }
        guard let number = Self.damagedHead(of: file), let other = HeadPage(1 - number, of: file) else { return nil }
        var (page, copy): ([UInt8], [UInt8]) = ([], [])
        guard file.read(number, into: &page), file.read(1 - number, into: &copy) else { return nil }
        page.replaceSubrange(..<HeadPage.Offset.mapBytes, with: HeadPage.beginning(number))
        let head = HeadPage(number, page)
        let isLegible = head.problems(pageBytes: file.pageBytes).isEmpty
        if isLegible, head.transaction == other.transaction &+ 1, file.isWhole(asOf: head) {
            (self.page, keepsAll) = (page, true)
        } else if file.isWhole(asOf: other) {
            copy.replaceSubrange(..<HeadPage.Offset.mapBytes, with: HeadPage.beginning(number))
            // The greater number is current; a file without any commit has 0 twice.
            var before: [UInt8] = []
            before.append(littleEndian: max(other.transaction, 1) - 1)
            copy.replaceSubrange(HeadPage.Offset.transaction..<HeadPage.Offset.end, with: before)
            (self.page, keepsAll) = (copy, isLegible && head.transaction &+ 1 == other.transaction)
        } else {
            return nil
        }
        (path, offset) = (file.path, Int(number) * file.pageBytes)
    }

    /// The number of the only damaged head page, or of the newer one if its trees are not whole, perhaps because it names others.
    private static func damagedHead(of file: PageFile) -> UInt64? {
        let damaged = Set(file.headFindings(comparing: false).compactMap(\.page))
        if damaged.count == 1 { return damaged.first }
        guard damaged.isEmpty, let newest = try? file.newestHead(), !file.isWhole(asOf: newest) else { return nil }
        return newest.number
    }

    /// Mends a folder's file, durably when this returns. Only the damaged head page is written, so a crash leaves it damaged or mended.
    ///
    /// - Returns: nil if nothing was changed, as ``init(in:)``.
    /// - Throws: ``LMDBError`` `.locked` if a process has the environment open for writing, `.permission`, `.io`.
    public static func mend(in directory: String) throws(LMDBError) -> HeadMend? {
        let lock = try FileLock(writerOf: directory)
        defer { withExtendedLifetime(lock) {} }
        guard let mend = HeadMend(in: directory) else { return nil }
        try mend.write()
        return mend
    }

    private func write() throws(LMDBError) {
        // SAFETY: plain C calls; the descriptor is closed here, and the array outlives the write.
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        defer { _ = close(descriptor) }
        guard unsafe pwrite(descriptor, page, page.count, off_t(offset)) == page.count, fdatasync(descriptor) == 0 else {
            throw LMDBError(number: errno, call: "pwrite", path: path)
        }
    }
}

extension PageFile {
    fileprivate func isWhole(asOf head: HeadPage) -> Bool {
        let found = FirstFindings()
        FileWalk(self, head: head, replaces: true, report: found.add).run()
        return found.cause == nil
    }
}
