import Dispatch
import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// The writer on its thread, which appends to a real log. A single thread submits the commands, so the test decides their order.
final class WriterBench {
    typealias Outcome = Result<Acceptance, ServiceError>

    let folder: TemporaryFolder
    let log: EventLog
    let clock = HandClock()
    private let writer: GroupCommit<CommandDecider>

    /// - Parameter indexFlushEvents: the number of events after which the index is flushed. It is small, so that some look-ups use the
    ///   index in memory, some the index on disk, and some both.
    init(cachedEntitiesMax: Int, indexFlushEvents: Int = 50, durability: any BatchDurability = LocalCommit()) throws {
        folder = try TemporaryFolder()
        let data = DataFolder(folder.path)
        var options = EventLog.Options()
        options.durability = durability
        options.indexFlushEvents = indexFlushEvents
        options.indexStallEvents = indexFlushEvents * 4
        log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite,
            created: Timestamp(microseconds: 0), options: options)
        writer = GroupCommit(log: log, queueLimit: 100_000, onFailure: { _ in }) { [clock] appender in
            CommandDecider(appender, clock: clock, cachedEntitiesMax: cachedEntitiesMax)
        }
        writer.start()
    }

    deinit {
        writer.stop()
        try? log.close()
    }

    /// Submits everything at once and waits for all outcomes.
    func perform(_ submissions: [Submission]) throws -> [Outcome] {
        let outcomes = Mutex([Int: Outcome]())
        let answered = DispatchSemaphore(value: 0)
        for (number, submission) in submissions.enumerated() {
            writer.offer(submission) { told in
                let outcome = (try? told.get()) ?? .failure(.stopping)
                outcomes.withLock { $0[number] = outcome }
                answered.signal()
            }
        }
        for _ in submissions { try answered.waitInTime("every submission is answered") }
        return outcomes.withLock { outcomes in submissions.indices.compactMap { outcomes[$0] } }
    }
}
