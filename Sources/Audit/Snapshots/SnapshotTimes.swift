internal import EventLog
internal import LMDB

/// How late it had got by every so many events: finds a moment without looking at every record.
///
/// Times may go back, for imports tell of earlier days; the latest time so far never does.
struct SnapshotTimes: Hashable, Sendable {
    static let fileName = "times"
    /// Events between two entries.
    static let strideDefault: UInt64 = 4_096

    private let stride: UInt64
    /// The latest time, µs, among the first ``stride`` events, the first two times as many, and so on.
    private(set) var latest: [Int64] = []
    private var current = Int64.min

    init(stride: UInt64 = Self.strideDefault) { self.stride = stride }

    /// From a file's bytes.
    init(_ bytes: [UInt8]) {
        stride = Self.strideDefault
        let span = bytes.span
        for at in Swift.stride(from: 0, through: span.count - 8, by: 8) {
            latest.append(Int64(bitPattern: span.littleEndian64(at: at)))
        }
        current = latest.last ?? .min
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for time in latest { bytes.append(littleEndian: time) }
        return bytes
    }

    /// Takes in the times of what follows; `after` MUST be where this ended before.
    mutating func extend(_ log: EventLog, after: Position, through: Position) throws {
        guard through > after else { return }
        try log.scan(after: after, through: through) { (position, record) in
            current = max(current, record.time.microseconds)
            if position.rawValue % stride == 0 { latest.append(current) }
            return true
        }
    }

    /// A position from which the search for the first event later than `time` may begin: none of the earlier ones is.
    func start(for time: Timestamp) -> Position {
        var (low, high) = (0, latest.count)
        while low < high {
            let middle = (low + high) / 2
            if latest[middle] <= time.microseconds { low = middle + 1 } else { high = middle }
        }
        return Position(UInt64(low) * stride)
    }
}
