/// One entry of a page (`struct MDB_node`): a key and a child, or a key and a value.
struct PageNode {
    /// Bytes before the key.
    static let headBytes = 8
    /// The value stands on pages of its own.
    static let bigValue: UInt16 = 1
    /// The value is the root of a table.
    static let subTree: UInt16 = 2

    /// Where it begins in its page.
    let offset: Int
    /// Of a leaf's entry: how the value is kept.
    let flags: UInt16
    let keyBytes: Int
    /// Of a leaf's entry: bytes of the value, wherever it stands.
    let valueBytes: Int
    /// Of a branch's entry: the page below.
    let child: UInt64

    var key: Range<Int> { offset + Self.headBytes..<offset + Self.headBytes + keyBytes }
    var isBig: Bool { flags & Self.bigValue != 0 }

    /// Bytes of the entry in its page, rounded up to even ones as LMDB does.
    func size(inLeaf: Bool) -> Int {
        let value = inLeaf ? (isBig ? 8 : valueBytes) : 0
        return (Self.headBytes + keyBytes + value + 1) & ~1
    }
}
