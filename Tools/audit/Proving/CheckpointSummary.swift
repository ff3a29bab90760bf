import Audit
import EventLog
import Merkle

/// A checkpoint as JSON.
struct CheckpointSummary: Encodable {
    let origin: String
    let size: UInt64
    let root: String
    /// Events that the log has; the last ones may not be covered yet.
    let head: UInt64
    let vkey: String
    /// The signed note itself.
    let note: String

    init(_ published: PublishedLog) {
        let checkpoint = published.checkpoint.checkpoint
        (origin, size, root) = (checkpoint.origin.string, checkpoint.size, checkpoint.root.base64)
        head = published.log.head.rawValue
        vkey = published.key.text
        note = String(decoding: published.checkpoint.note.bytes, as: UTF8.self)
    }
}
