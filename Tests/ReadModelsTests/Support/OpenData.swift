import EventLog
import Histories
import Loyalty
import ReadModels

/// A log with its single appender and the read models that follow it.
final class OpenData {
    private let data: TestData
    let log: EventLog
    let appender: Appender
    let models: ReadModels

    init(_ data: TestData, map: MapLimit = .init()) throws {
        self.data = data
        log = try data.log()
        appender = try log.appender()
        models = try ReadModels(directory: data.models, log: log, others: [], map: map)
    }

    /// Appends facts and waits until the models have applied them.
    func append(_ facts: some Collection<Fact>) async throws -> Bool {
        try log.append(facts, with: appender)
        return await models.reached(log.head, timeoutSeconds: 600)
    }

    func caughtUp() async -> Bool {
        await models.reached(log.head, timeoutSeconds: 600)
    }

    func close() throws {
        try models.close()
        try log.close()
    }
}
