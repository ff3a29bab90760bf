/// The way of a node up to the root, as both verifications of RFC 9162 (§2.1.3.2, §2.1.4.2) go it.
///
/// At each height, `node` is where the way stands and `last` the last node of that height. A last node without a right
/// neighbour has no sibling: it moves up as it is.
struct Climb {
    /// On which side of the way the next hash of the proof stands.
    enum Side { case left, right }

    private var node: UInt64
    private var last: UInt64

    init(from node: UInt64, last: UInt64) {
        self.node = node
        self.last = last
    }

    /// Whether there is nothing above.
    var isAtRoot: Bool { last == 0 }

    /// Moves up while the way stands at a right child, without hashes: the subtrees to the left are parts of one that is known.
    mutating func skipRightChildren() {
        while !node.isMultiple(of: 2) { rise() }
    }

    /// Moves up to the next height at which there is a sibling, and past it; nil at the root.
    mutating func next() -> Side? {
        guard !isAtRoot else { return nil }
        while node == last, node.isMultiple(of: 2) { rise() }
        let side: Side = node.isMultiple(of: 2) ? .right : .left
        rise()
        return side
    }

    private mutating func rise() {
        node >>= 1
        last >>= 1
    }
}
