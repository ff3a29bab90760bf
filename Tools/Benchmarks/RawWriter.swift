import Dispatch
import Foundation
import LMDB
import Synchronization

/// The upper limit for writing: one thread that appends records to an LMDB table, commits them with one flush, and answers the tasks. It
/// makes no decisions, and has no index and no cache.
final class RawWriter: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct Queue {
        var waiting: [Waiter] = []
        /// The reason why no more appends are accepted.
        var end: (any Error)?
    }

    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let environment: Environment
    private let table: Table
    private let record: [UInt8]
    private let recordsAnAppend: Int

    init(in folder: String, recordBytes: Int, recordsAnAppend: Int, options: Environment.Options = .init()) throws {
        environment = try Environment(directory: folder, access: .readWrite, options: options)
        table = try environment.table("events", .integer)
        record = [UInt8](repeating: 7, count: recordBytes)
        self.recordsAnAppend = recordsAnAppend
        Thread { [self] in run() }.start()
    }

    /// Appends per second by `callers` tasks, one record of 150 bytes at a time.
    static func rate(in folder: String, callers: Int, count: Int) async throws -> Double {
        let writer = try RawWriter(in: folder, recordBytes: 150, recordsAnAppend: 1)
        defer { writer.stop() }
        return Double(count)
            / (try await seconds {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for caller in 0..<callers {
                        group.addTask { for _ in stride(from: caller, to: count, by: callers) { try await writer.append() } }
                    }
                    try await group.waitForAll()
                }
            })
    }

    /// Returns when the records are on disk.
    func append() async throws {
        try await withCheckedThrowingContinuation { (waiter: Waiter) in
            let (isFirst, end) = queue.withLock { queue in
                if queue.end == nil { queue.waiting.append(waiter) }
                return (queue.waiting.count == 1, queue.end)
            }
            if let end { waiter.resume(throwing: end) } else if isFirst { wake.signal() }
        }
    }

    /// Ends the thread. Call it when no append is in progress.
    func stop() { end(CancellationError()) }

    /// Counts the records with a cursor that reads every byte of them.
    func scan() throws -> Int { try RawScan.count(in: environment) }

    private func end(_ reason: any Error) {
        let waiting = queue.withLock { queue in
            defer { queue.waiting = [] }
            queue.end = queue.end ?? reason
            return queue.waiting
        }
        for waiter in waiting { waiter.resume(throwing: reason) }
        wake.signal()
    }

    private func run() {
        var position: UInt64 = 0
        while true {
            wake.wait()
            let (batch, isOver) = queue.withLock { queue in
                defer { queue.waiting = [] }
                return (queue.waiting, queue.end != nil)
            }
            if isOver { return }
            do {
                try commit(batch.count * recordsAnAppend, after: &position)
                for waiter in batch { waiter.resume() }
            } catch {
                for waiter in batch { waiter.resume(throwing: error) }
                return end(error)
            }
        }
    }

    private func commit(_ count: Int, after position: inout UInt64) throws {
        if count == 0 { return }
        let (environment, record) = (environment, record)
        var transaction = try environment.write()
        for _ in 0..<count {
            position += 1
            try transaction.append(table, position, record.span)
        }
        try transaction.commit()
    }
}

/// The upper limit for reading: a cursor that reads every byte of a table's records.
enum RawScan {
    /// Events per second of a scan of the log in `directory`, which must have so many.
    static func rate(of events: Int, in directory: String) throws -> Double {
        try passRate(of: events) {
            let environment = try Environment(directory: directory, access: .readOnly)
            guard try count(in: environment) == events else { throw BenchError.unexpected }
        }
    }

    /// Returns the number of records.
    static func count(in environment: Environment) throws -> Int {
        let events = try environment.table("events", .integer)
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(events)
        var (count, sum) = (0, UInt64(0))
        var isThere = try cursor.first()
        while isThere {
            sum &+= self.sum(of: cursor.value)
            count += 1
            isThere = try cursor.next()
        }
        guard count == 0 || sum != 0 else { throw BenchError.unexpected }
        return count
    }

    /// A sum that cannot be computed without reading every byte.
    static func sum(of record: Span<UInt8>) -> UInt64 {
        var (offset, sum) = (0, UInt64(0))
        while offset + 8 <= record.count {
            sum &+= record.littleEndian64(at: offset)
            offset += 8
        }
        while offset < record.count {
            sum &+= UInt64(record[offset])
            offset += 1
        }
        return sum
    }
}
