/// A head page in full: LMDB writes them in turn, and the one with the greater transaction number counts.
///
/// Layout of LMDB 0.9 (`struct MDB_meta`) on 64-bit little-endian machines; see ``MetaPage`` for the short form.
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
    private static let version: UInt32 = 1
    private static let headFlag: UInt16 = 8

    /// 0 or 1.
    let number: UInt64
    /// The number of the write transaction that wrote it, which also says which of the two pages it belongs on.
    public let transaction: UInt64
    /// The greatest page number in use.
    let lastPage: UInt64
    /// Pages that were freed, by transaction.
    let free: TreeRoot
    /// The tables by name.
    let main: TreeRoot
    private let mapBytes: UInt64
    private let statedNumber: UInt64
    private let flags: UInt16
    private let magicAndVersion: [UInt32]
    private let address: UInt64

    /// - Returns: nil when the page cannot be read at all.
    init?(_ number: UInt64, of file: PageFile) {
        var bytes: [UInt8] = []
        guard file.read(number, into: &bytes) else { return nil }
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

    /// Whether LMDB itself would take it for one.
    var isHead: Bool { magicAndVersion == [Self.magic, Self.version] && flags & Self.headFlag != 0 }

    /// What is wrong with it by itself. The size of the map is a wish of its writer's that no opening of ours obeys; it is only
    /// looked at for what cannot be one.
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
