internal import LMDB
package import Merkle

/// The end of a shared log, and the process that may append to it.
///
/// ```
///  0 u8  format = 1     1 u8  bytes of the name     2 u48 process
///  8 u64 term          16 u64 position             24 root, 32 bytes
/// 56 the writer's name, to the end
/// ```
/// Numbers are little-endian. Term and position only grow, and one of them with each write. So the bytes of a head never repeat, and a
/// request that arrives late finds another head than the one that it would replace. ``process`` tells the claims of two nodes apart that
/// were given one name.
package struct Head: Hashable, Sendable {
    /// The number of claims so far, from 1.
    package let term: UInt64
    package let writer: NodeName
    /// A random number of the writing process, below 2^48.
    package let process: UInt64
    /// The last event; ``Position/start`` for an empty log.
    package let position: Position
    /// The root of the tree over all events through ``position``.
    package let root: NodeHash

    package init(term: UInt64, writer: NodeName, process: UInt64, position: Position, root: NodeHash) {
        (self.term, self.writer, self.process, self.position, self.root) = (term, writer, process & Self.processMax, position, root)
    }

    /// The head after this writer's next entry. Traps if the entry does not follow this head.
    package func advanced(by entry: Entry) -> Head {
        precondition(entry.term == term && entry.first == position.next && entry.before == root, "\(entry) does not follow \(self)")
        return Head(term: term, writer: writer, process: process, position: entry.last, root: entry.after)
    }
}

extension Head {
    private static let format: UInt8 = 1
    private static let termAt = 8, positionAt = 16, rootAt = 24, nameAt = 56
    fileprivate static let processMax: UInt64 = 1 << 48 - 1

    /// The bytes that are stored and compared; a head has only these.
    package var bytes: [UInt8] {
        let name = writer.description.utf8
        var bytes: [UInt8] = []
        bytes.append(littleEndian: process << 16 | UInt64(name.count) << 8 | UInt64(Self.format))
        bytes.append(littleEndian: term)
        bytes.append(littleEndian: position.rawValue)
        root.append(to: &bytes)
        bytes.append(contentsOf: name)
        return bytes
    }

    /// Reads stored bytes.
    ///
    /// - Throws: ``EventLogError`` `.formatTooNew`, `.logMismatch` for bytes that no version has written.
    package init(_ bytes: [UInt8]) throws(EventLogError) {
        if let format = bytes.first, SharedFormat.isLater(format, than: Self.format) {
            throw EventLogError(.formatTooNew, "the shared log's head has format \(format), this program knows \(Self.format).")
        }
        let view = bytes.span
        guard bytes.count > Self.nameAt, let root = NodeHash(view.extracting(Self.rootAt..<Self.nameAt)),
            let writer = NodeName(String(decoding: bytes[Self.nameAt...], as: UTF8.self))
        else { throw Self.foreign }
        self.init(
            term: view.littleEndian64(at: Self.termAt), writer: writer, process: view.littleEndian64(at: 0) >> 16,
            position: Position(view.littleEndian64(at: Self.positionAt)), root: root)
        // Any other bytes would be another head to the compare.
        if self.bytes != bytes || !Self.terms.contains(term) { throw Self.foreign }
    }

    /// The terms of a head that a node wrote. Above them, as many are left for claims.
    package static let terms: ClosedRange<UInt64> = 1...(.max / 2)

    private static var foreign: EventLogError { EventLogError(.logMismatch, "the shared log's head has bytes that no version writes.") }
}

extension Head: CustomStringConvertible {
    package var description: String { "position \(position) in term \(term) of \(writer)" }

    /// The description, and what else tells the head from another one with the same.
    fileprivate func text(beside other: Head?) -> String {
        guard let other, other.description == description else { return description }
        return description + (root == other.root ? ", process \(process)" : " with the root \(root)")
    }
}

/// The first byte of a head and of an entry.
enum SharedFormat {
    /// Whether a later version may have written it. No text begins with such a byte.
    static func isLater(_ format: UInt8, than known: UInt8) -> Bool { format > known && format < UInt8(ascii: " ") }
}

extension EventLogError {
    /// The reason why a compare with `expected` found another head.
    init(found head: Head?, insteadOf expected: Head?) {
        if head == expected {
            self.init(.superseded, "a claim was refused: another writer of the shared log seems alive.", position: head?.position)
            return
        }
        let (found, wanted) = (head.map { $0.text(beside: expected) } ?? "none", expected.map { $0.text(beside: head) } ?? "none")
        let (now, then) = ((head?.term ?? 0, head?.position ?? .start), (expected?.term ?? 0, expected?.position ?? .start))
        let code: Code = now == then ? .logMismatch : now < then ? .engineBehind : .superseded
        self.init(code, "the shared log's head is \(found), not \(wanted).", position: head?.position)
    }
}

/// The name of a node in its cluster: 1 to 63 lower-case letters, digits and hyphens.
package struct NodeName: Hashable, Sendable, CustomStringConvertible {
    package static let bytesMax = 63

    package let description: String

    /// Nil for any other text.
    package init?(_ text: String) {
        guard (1...Self.bytesMax).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        description = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
