internal import Glibc

/// An environment's file, read page by page and never mapped, for checking a file that may be damaged.
///
/// LMDB trusts its pages: a changed byte can make it read outside the map, which ends the process. Here every number is checked before use.
///
/// ## Limitations
/// A writer may reuse freed pages during the check; hold a ``SnapshotHold`` against that.
public final class PageFile: Sendable {
    public let path: String
    public let pageBytes: Int
    private let descriptor: Int32

    /// Opens the file in an environment's folder.
    ///
    /// - Parameter needsHead: refuses a file without a valid head page, for which this machine's page size would be assumed.
    /// - Throws: ``LMDBError`` `.missing`, `.permission`, `.foreign` if neither head page is valid, `.damaged` if the file is too short for
    ///   a head page.
    public init(in directory: String, needsHead: Bool = true) throws(LMDBError) {
        path = directory + "/data.mdb"
        descriptor = try Descriptor.open(path, O_RDONLY)
        let size = FileIdentity(of: descriptor)?.size ?? 0
        let assumed = needsHead || size < HeadPage.Offset.end ? nil : Int(getpagesize())
        guard let bytes = Self.pageBytes(of: descriptor) ?? assumed else {
            _ = close(descriptor)
            if size < HeadPage.Offset.end { throw DataFile.damaged(path, "the file ends within its head") }
            throw LMDBError(.foreign, call: "pread", path: path, text: "neither of the head pages is one")
        }
        pageBytes = bytes
    }

    deinit { _ = close(descriptor) }

    /// The file's present size in bytes.
    public var byteCount: Int { FileIdentity(of: descriptor)?.size ?? 0 }

    /// Reads a page into a buffer; false if it is not completely in the file.
    func read(_ number: UInt64, into bytes: inout [UInt8]) -> Bool {
        guard number < 1 << 47 else { return false }
        if bytes.count != pageBytes { bytes = [UInt8](repeating: 0, count: pageBytes) }
        let (count, offset) = (pageBytes, off_t(number) * off_t(pageBytes))
        // SAFETY: reads at most the buffer's bytes into it.
        return unsafe bytes.withUnsafeMutableBytes { buffer in unsafe pread(descriptor, buffer.baseAddress, count, offset) == count }
    }

    /// Reads bytes that may continue on the following pages; false if the file does not hold them all.
    func read(_ count: Int, from number: UInt64, at start: Int, into bytes: inout [UInt8]) -> Bool {
        guard number < 1 << 47, count >= 0, count <= 1 << 32 else { return false }
        let offset = off_t(number) * off_t(pageBytes) + off_t(start)
        guard Int(offset) + count <= byteCount else { return false }
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
        // SAFETY: reads at most the buffer's bytes into it.
        return unsafe bytes.withUnsafeMutableBytes { buffer in unsafe pread(descriptor, buffer.baseAddress, count, offset) == count }
    }

    /// False if the value's first page says that it does not fit, so that a damaged size takes no memory.
    func readBig(_ count: Int, from first: UInt64, into bytes: inout [UInt8]) -> Bool {
        var head = PageImage()
        guard read(PageImage.headBytes, from: first, at: 0, into: &head.bytes) else { return false }
        return count <= Int(head.overflowPages) * pageBytes - PageImage.headBytes
            && read(count, from: first, at: PageImage.headBytes, into: &bytes)
    }

    /// As the first head page states, if the second is found there; otherwise this machine's.
    private static func pageBytes(of descriptor: Int32) -> Int? {
        func number(at offset: Int) -> UInt32 { PageImage(descriptor, at: offset, count: 4).load32(0) }
        let said = Int(number(at: HeadPage.Offset.pageBytes))
        let usual = Int(getpagesize())
        for size in [said, usual] where (512...65_536).contains(size) && size.nonzeroBitCount == 1 {
            if number(at: size + HeadPage.Offset.magic) == HeadPage.magic { return size }
        }
        return number(at: HeadPage.Offset.magic) == HeadPage.magic ? usual : nil
    }
}

extension PageFile {
    /// The current head page: the valid one with the greater transaction number.
    ///
    /// - Throws: ``LMDBError`` `.foreign` if neither is valid.
    public func newestHead() throws(LMDBError) -> HeadPage {
        let heads = [0, 1].compactMap { HeadPage($0, of: self) }.filter(\.isHead)
        guard let newest = heads.max(by: { $0.transaction < $1.transaction }) else {
            throw LMDBError(.foreign, call: "pread", path: path, text: "neither of the head pages is one")
        }
        return newest
    }

    /// The head page of a snapshot; nil if a writer has overwritten it, at the second later commit at the earliest.
    public func head(of transaction: UInt64) -> HeadPage? {
        [0, 1].compactMap { HeadPage($0, of: self) }.first { $0.isHead && $0.transaction == transaction }
    }

    /// The faults of the two head pages. The older one's trees are never read, so they are not checked.
    ///
    /// - Parameter comparing: requires successive transactions, which a file that was just copied does not have.
    public func headFindings(comparing: Bool = true) -> [PageFinding] {
        let heads = [0, 1].map { HeadPage($0, of: self) }
        var findings: [PageFinding] = []
        for (number, head) in heads.enumerated() {
            let problems = head.map { $0.problems(pageBytes: pageBytes) } ?? ["the file does not hold it"]
            findings += problems.map { PageFinding(page: UInt64(number), $0) }
        }
        if comparing, let first = heads[0]?.transaction, let second = heads[1]?.transaction, max(first, second) - min(first, second) > 1 {
            findings.append(PageFinding(page: nil, "the head pages are of transactions \(first) and \(second), which are no neighbours"))
        }
        return findings
    }

    /// The roots of a commit's tables, by name.
    ///
    /// - Throws: ``LMDBError`` `.damaged`.
    public func tables(of head: HeadPage) throws(LMDBError) -> [String: TreeRoot] {
        var tables: [String: TreeRoot] = [:]
        var cursor = FileCursor(head.main, in: self)
        while try cursor.next() {
            if let tree = cursor.subTree { tables[String(decoding: cursor.keyBytes, as: UTF8.self)] = tree }
        }
        return tables
    }
}

/// A whole head page. LMDB writes the two alternately; the one with the greater transaction number is current.
///
/// Layout of LMDB 0.9 (`struct MDB_meta`) on 64-bit little-endian machines.
public struct HeadPage: Hashable, Sendable {
    enum Offset {
        static let flags = 10
        static let magic = 16
        static let version = 20
        static let address = 24
        static let mapBytes = 32
        static let pageBytes = 40
        static let freeTree = 40
        static let mainTree = 88
        static let lastPage = 136
        static let transaction = 144
        static let end = 152
    }

    static let magic: UInt32 = 0xBEEF_C0DE
    static let version: UInt32 = 1
    private static let headFlag: UInt16 = 8

    let number: UInt64
    /// The transaction that wrote the page: even numbers write page 0, the others page 1.
    public let transaction: UInt64
    let lastPage: UInt64
    let free: TreeRoot
    let main: TreeRoot
    private let mapBytes: UInt64
    private let statedNumber: UInt64
    private let flags: UInt16
    private let magicAndVersion: [UInt32]
    private let address: UInt64

    init?(_ number: UInt64, of file: PageFile) {
        var bytes: [UInt8] = []
        guard file.read(number, into: &bytes) else { return nil }
        self.init(number, bytes)
    }

    init(_ number: UInt64, _ bytes: [UInt8]) {
        let span = bytes.span
        self.number = number
        statedNumber = span.littleEndian64(at: 0)
        flags = span.littleEndian16(at: Offset.flags)
        magicAndVersion = [span.littleEndian32(at: Offset.magic), span.littleEndian32(at: Offset.version)]
        address = span.littleEndian64(at: Offset.address)
        mapBytes = span.littleEndian64(at: Offset.mapBytes)
        free = TreeRoot(span, at: Offset.freeTree)
        main = TreeRoot(span, at: Offset.mainTree)
        lastPage = span.littleEndian64(at: Offset.lastPage)
        transaction = span.littleEndian64(at: Offset.transaction)
    }

    /// The bytes before a head page's ``Offset/mapBytes``, which are the same in every file.
    static func beginning(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: UInt64(headFlag) << 16)
        bytes.append(littleEndian: UInt64(version) << 32 | UInt64(magic))
        bytes.append(littleEndian: UInt64(0))
        return bytes
    }

    var isHead: Bool { magicAndVersion == [Self.magic, Self.version] && flags & Self.headFlag != 0 }

    /// Any map size that a process could reserve is valid.
    func problems(pageBytes: Int) -> [String] {
        var problems: [String] = []
        func require(_ isRight: Bool, _ problem: @autoclosure () -> String) { if !isRight { problems.append(problem()) } }
        require(magicAndVersion == [Self.magic, Self.version], "no magic number of LMDB's format 1")
        require(statedNumber == number, "it says that it is page \(statedNumber)")
        require(flags == Self.headFlag, "its flags are \(flags)")
        require(address == 0, "it wants to be mapped at a fixed address")
        require(free.pad == UInt32(pageBytes), "it speaks of pages of \(free.pad) bytes")
        require(free.flags == TreeRoot.integerKeys, "the list of free pages has the flags \(free.flags)")
        require(main.flags == 0 && main.pad == 0, "the table of tables has the flags \(main.flags) and \(main.pad)")
        require(lastPage >= 1 && lastPage < 1 << 47, "its last page is \(lastPage)")
        require(mapBytes % UInt64(pageBytes) == 0 && mapBytes / UInt64(pageBytes) > lastPage, "its map has \(mapBytes) bytes")
        require(transaction == 0 || transaction % 2 == number, "it is of transaction \(transaction), which belongs on the other page")
        return problems
    }
}
