internal import Glibc

/// One of the two head pages of the file, of which the one with the greater transaction number counts.
///
/// Layout of LMDB 0.9 (`struct MDB_page`, `struct MDB_meta`) on 64-bit little-endian machines: a header of 16 bytes, then
/// magic, version, address, map size, two tables of 48 bytes (the first begins with the page size), last page, transaction.
struct MetaPage {
    /// Where things lie, counted from the page's start.
    private enum Offset {
        static let magic = 16
        static let version = 20
        static let mapBytes = 32
        static let pageBytes = 40
        static let freeTable = 40
        static let mainTable = 88
        static let lastPage = 136
        static let transaction = 144
        static let end = 152
    }

    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let version: UInt32 = 1

    let pageBytes: Int
    /// The greatest address space that a writer has reserved for the file; nil where it is none that a process has.
    let mapBytes: Int?
    let lastPage: Int
    let transaction: UInt64
    /// The root pages of the list of free pages and of the table of tables.
    let roots: [UInt64]

    /// The newer head page of a file.
    ///
    /// - Throws: ``LMDBError/Code/foreign``, ``LMDBError/Code/damaged`` when the file ends within its head.
    static func newest(of descriptor: Int32, _ path: String) throws(LMDBError) -> MetaPage {
        let first = try MetaPage(descriptor, at: 0, path)
        let second = try MetaPage(descriptor, at: first.pageBytes, path)
        return first.transaction >= second.transaction ? first : second
    }

    private init(_ descriptor: Int32, at offset: Int, _ path: String) throws(LMDBError) {
        let page = PageBytes(descriptor, at: offset, count: Offset.end)
        guard page.count >= Offset.version + 4 else { throw DataFile.damaged(path, "the file ends within its head") }
        guard page.load(Offset.magic, as: UInt32.self) == Self.magic else { throw Self.foreign(path, "no LMDB magic number") }
        let version = page.load(Offset.version, as: UInt32.self)
        guard version == Self.version else { throw Self.foreign(path, "format version \(version)") }
        guard page.count == Offset.end else { throw DataFile.damaged(path, "the file ends within its head") }
        pageBytes = Int(page.load(Offset.pageBytes, as: UInt32.self))
        guard (512...65_536).contains(pageBytes) else { throw DataFile.damaged(path, "a page size of \(pageBytes)") }
        let reserved = page.load(Offset.mapBytes, as: UInt64.self)
        mapBytes = reserved < 1 << 47 ? Int(reserved) : nil
        let last = page.load(Offset.lastPage, as: UInt64.self)
        guard last < 1 << 47 else { throw DataFile.damaged(path, "page number \(last)") }
        lastPage = Int(last)
        transaction = page.load(Offset.transaction, as: UInt64.self)
        roots = [Offset.freeTable + 40, Offset.mainTable + 40].map { page.load($0, as: UInt64.self) }
    }

    private static func foreign(_ path: String, _ text: String) -> LMDBError {
        LMDBError(.foreign, call: "pread", path: path, text: text)
    }
}
