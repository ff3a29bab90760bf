import EventLog
import LMDB
import Merkle

/// How far a log was searched for erasures whose keys may still be there.
struct ErasureNote {
    /// The last event that was looked at.
    let position: Position
    /// Of the log's tree there: in another log, the position says nothing.
    let root: NodeHash

    /// Of everything that a log holds now.
    init(of log: EventLog) throws {
        position = log.head
        root = try log.root(through: position)
    }

    /// Nil when the bytes are no note.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 8 + NodeHash.byteCount, let root = NodeHash(bytes.extracting(droppingFirst: 8)) else { return nil }
        self.root = root
        position = Position(rawValue: bytes.littleEndian64(at: 0))
    }

    /// Position u64, little-endian; then the root.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: position.rawValue)
        root.append(to: &bytes)
        return bytes
    }

    /// Whether the log begins with what was searched.
    func holds(in log: EventLog) -> Bool { position <= log.head && (try? log.root(through: position)) == root }
}
