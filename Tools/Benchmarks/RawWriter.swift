import Dispatch
import Foundation
import LMDB
import Synchronization

/// The ceiling: one plain thread that appends what waits to an LMDB table, commits with one flush, and answers the tasks. It
/// decides nothing, indexes nothing and remembers nothing.
final class RawWriter: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    private let wake = DispatchSemaphore(value: 0)
    private let environment: Environment
    private let table: Table

    private init(in folder: String) throws {
        environment = try Environment(directory: folder, access: .readWrite)
        table = try environment.table("events", .integer)
    }

    /// Appends of 150 bytes a second, by `callers` tasks that await each.
    static func rate(in folder: String, callers: Int, count: Int) async throws -> Double {
        let writer = try RawWriter(in: folder)
        Thread { try? writer.run(count) }.start()
        return Double(count)
            / (await seconds {
                await withTaskGroup(of: Void.self) { group in
                    for caller in 0..<callers {
                        group.addTask { for _ in stride(from: caller, to: count, by: callers) { await writer.append() } }
                    }
                }
            })
    }

    private func append() async {
        await withCheckedContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                waiting.append(continuation)
                return waiting.count == 1
            }
            if isFirst { wake.signal() }
        }
    }

    private func run(_ count: Int) throws {
        let record = [UInt8](repeating: 7, count: 150)
        let environment = environment
        var position: UInt64 = 0
        while position < count {
            wake.wait()
            let batch = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            guard !batch.isEmpty else { continue }
            var transaction = try environment.write()
            for _ in batch {
                position += 1
                try transaction.append(table, position, record.span)
            }
            try transaction.commit()
            for continuation in batch { continuation.resume() }
        }
    }
}
