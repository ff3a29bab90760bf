/// The two forms in which events leave a log and come into another one, byte for byte.
///
/// Binary, numbers little-endian:
/// ```
/// 16 bytes  "GreenTea events\n"   u16 version = 1   u16 length, origin (UTF-8, may be empty)
/// u64 after: the position before the first event   u64 count of events
/// for each batch: u32 count, 1 to 1,024   for each record: u16 length, bytes   32 bytes: the root of the tree through this batch
/// u32 0
/// ```
/// The roots are those of the whole log, so they check the bytes and that they go on from what the other log has.
///
/// JSON lines: `{"format":"greentea-events","version":1,"after":N,"count":N,"origin":"…"}`, then for each event what `greentea-replay`
/// prints of it and `"record"`, its bytes as base64; behind each 1,024 events and at the end `{"through":N,"root":"<hex>"}`.
public enum TransferFormat: String, Sendable, CaseIterable {
    case binary
    case jsonl

    static let magic = Array("GreenTea events\n".utf8)
    static let version: UInt16 = 1
    /// Events between two roots: the size of the batches in which they are stored.
    static let batchEvents = 1_024
    static let jsonName = "greentea-events"
}

/// What the head of a file says.
struct TransferHead: Hashable, Sendable {
    let after: UInt64
    let count: UInt64
    let origin: String
}
