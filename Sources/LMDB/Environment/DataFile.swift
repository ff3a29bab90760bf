internal import CLMDB
internal import Glibc

/// Checks an environment's file before it is mapped: a mapped file that ends too early kills a reader with SIGBUS.
enum DataFile {
    /// Returns whether the file does not exist yet.
    ///
    /// - Throws: ``LMDBError`` `.missing`, `.foreign`, `.damaged` without all used pages, `.permission`.
    static func check(in directory: String, mayBeMissing: Bool) throws(LMDBError) -> Bool {
        let path = directory + "/data.mdb"
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 && errno == ENOENT && mayBeMissing { return true }
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        defer { _ = close(descriptor) }
        try checkLength(descriptor, path)
        return false
    }

    /// A commit writes its pages before the head page, so the length is read after the head page. A finding counts only if that is
    /// unchanged, because a commit may reuse pages meanwhile.
    private static func checkLength(_ descriptor: Int32, _ path: String) throws(LMDBError) {
        while true {
            let head = try MetaPage.newest(of: descriptor, path)
            guard let size = FileIdentity(of: descriptor)?.size else { throw LMDBError(number: errno, call: "fstat", path: path) }
            if size >= (head.lastPage + 1) * head.pageBytes { return }
            var pages = ReachablePages(descriptor: descriptor, fileBytes: size, head: head)
            guard let missing = pages.firstMissing() else { return }
            if try MetaPage.newest(of: descriptor, path).transaction == head.transaction {
                throw damaged(path, "\(size) bytes, but page \(missing) is in use")
            }
        }
    }

    /// Address space, in bytes, that a writer has reserved; nil without a readable environment.
    static func mapBytes(in directory: String) -> Int? {
        let path = directory + "/data.mdb"
        guard let descriptor = try? Descriptor.open(path, O_RDONLY) else { return nil }
        defer { _ = close(descriptor) }
        return try? MetaPage.newest(of: descriptor, path).mapBytes
    }

    /// An empty file of a failed creation would pass for a truncated environment.
    static func removeIfEmpty(in directory: String) {
        let path = directory + "/data.mdb"
        if FileIdentity(of: path)?.size == 0 { DurableNames.remove(path) }
    }

    /// Replaces an error that a damaged head page causes, which can ask for a map of any size and gives any last commit.
    static func cause(of error: LMDBError, in directory: String) -> LMDBError {
        guard error.code == .mapFull || error.code == .lockDamaged else { return error }
        do {
            let file = try PageFile(in: directory)
            // A head page read in the middle of a commit looks damaged, but not twice.
            let looks = (0..<2).map { _ in file.headFindings(comparing: false) }
            guard let found = looks[1].first, !looks[0].isEmpty else { return error }
            return damaged(file.path, "\(found)")
        } catch {
            // The environment is open, so the file had head pages.
            guard error.code == .foreign || error.code == .damaged else { return error }
            return damaged(directory + "/data.mdb", error.text)
        }
    }

    static func damaged(_ path: String, _ text: String) -> LMDBError { LMDBError(.damaged, call: "pread", path: path, text: text) }
}

/// The numbers of a head page that must be known before the file is mapped; ``HeadPage`` is the whole page.
struct MetaPage {
    private typealias Offset = HeadPage.Offset

    let pageBytes: Int
    /// Nil if no process can reserve it.
    let mapBytes: Int?
    let lastPage: Int
    let transaction: UInt64
    let roots: [UInt64]

    /// The page with the greater transaction number.
    ///
    /// - Throws: ``LMDBError`` `.foreign`; `.damaged` for a file without both, or impossible numbers.
    static func newest(of descriptor: Int32, _ path: String) throws(LMDBError) -> MetaPage {
        let first = try MetaPage(descriptor, at: 0, path)
        let second = try MetaPage(descriptor, at: first.pageBytes, path)
        return first.transaction >= second.transaction ? first : second
    }

    private init(_ descriptor: Int32, at offset: Int, _ path: String) throws(LMDBError) {
        let page = PageImage(descriptor, at: offset, count: Offset.end)
        guard page.bytes.count >= Offset.version + 4 else { throw DataFile.damaged(path, "the file ends within its head") }
        guard page.load32(Offset.magic) == HeadPage.magic else { throw Self.foreign(path, "no LMDB magic number") }
        let version = page.load32(Offset.version)
        guard version == HeadPage.version else { throw Self.foreign(path, "format version \(version)") }
        guard page.bytes.count == Offset.end else { throw DataFile.damaged(path, "the file ends within its head") }
        pageBytes = Int(page.load32(Offset.pageBytes))
        guard (512...65_536).contains(pageBytes) else { throw DataFile.damaged(path, "a page size of \(pageBytes)") }
        let reserved = page.load64(Offset.mapBytes)
        mapBytes = reserved < 1 << 47 ? Int(reserved) : nil
        let last = page.load64(Offset.lastPage)
        guard last < 1 << 47 else { throw DataFile.damaged(path, "page number \(last)") }
        lastPage = Int(last)
        transaction = page.load64(Offset.transaction)
        roots = [Offset.freeTree, Offset.mainTree].map { page.load64($0 + TreeRoot.rootOffset) }
    }

    private static func foreign(_ path: String, _ text: String) -> LMDBError {
        LMDBError(.foreign, call: "pread", path: path, text: text)
    }
}

/// Finds a used page beyond the end of the file.
///
/// A valid file may be shorter than its last page number suggests: pages that one transaction took and freed are never written.
struct ReachablePages {
    /// `MDB_DUPFIXED`, whose leaves have no entries that lead on.
    private static let packedLeaf: UInt16 = 0x20

    let descriptor: Int32
    let fileBytes: Int
    let pageBytes: Int
    /// More visits than pages mean a cycle.
    private var visitsLeft: Int
    private var pending: [UInt64]

    init(descriptor: Int32, fileBytes: Int, head: MetaPage) {
        (self.descriptor, self.fileBytes, pageBytes) = (descriptor, fileBytes, head.pageBytes)
        (visitsLeft, pending) = (head.lastPage + 1, head.roots)
    }

    /// A used page that is not completely in the file, or one reached over a cycle.
    mutating func firstMissing() -> UInt64? {
        while let number = pending.popLast() {
            if number == TreeRoot.none { continue }
            visitsLeft -= 1
            guard visitsLeft >= 0, holds(number, count: 1) else { return number }
            if let missing = visit(page(number, count: pageBytes)) { return missing }
        }
        return nil
    }

    private mutating func visit(_ page: PageImage) -> UInt64? {
        if page.flags & Self.packedLeaf != 0 { return nil }
        for node in (0..<page.count).map(page.node) {
            if page.flags & PageImage.branch != 0 {
                pending.append(node.child)
            } else if page.flags & PageImage.leaf != 0 {
                if node.flags & PageNode.subTree != 0 { pending.append(page.load64(node.key.upperBound + TreeRoot.rootOffset)) }
                if node.isBig, let missing = firstMissing(ofValueAt: page.load64(node.key.upperBound)) { return missing }
            }
        }
        return nil
    }

    private func firstMissing(ofValueAt first: UInt64) -> UInt64? {
        guard holds(first, count: 1) else { return first }
        return holds(first, count: Int(page(first, count: PageImage.headBytes).overflowPages)) ? nil : first
    }

    private func page(_ number: UInt64, count: Int) -> PageImage {
        PageImage(descriptor, at: Int(number) * pageBytes, count: count)
    }

    private func holds(_ first: UInt64, count: Int) -> Bool { first < 1 << 47 && (Int(first) + count) * pageBytes <= fileBytes }
}

/// The identity of a file, equal for all paths to it: device and inode.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
    /// Not a part of the identity.
    let size: Int

    /// Nil if there is no accessible file, with the reason in `errno`.
    init?(of path: String) {
        var status = stat()
        // SAFETY: stat fills the struct and keeps nothing.
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size))
    }

    init?(of descriptor: Int32) {
        var status = stat()
        // SAFETY: fstat fills the struct and keeps nothing.
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size))
    }

    private init(device: UInt64, inode: UInt64, size: Int) { (self.device, self.inode, self.size) = (device, inode, size) }

    static func == (left: FileIdentity, right: FileIdentity) -> Bool { left.device == right.device && left.inode == right.inode }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }
}

/// The kind of the file at a path, with links followed; checked so that a new file replaces no device.
public enum FileKind: Sendable {
    case regular
    case folder
    /// A device, a pipe, a socket.
    case other

    /// Nil if there is no accessible file at `path`.
    public init?(at path: String) {
        var status = stat()
        // SAFETY: stat fills the struct and keeps nothing.
        guard unsafe stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .folder
        default: self = .other
        }
    }
}
