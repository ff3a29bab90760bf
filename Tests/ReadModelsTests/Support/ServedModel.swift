import EventLog
import Foundation
import Histories
import Loyalty

@testable import Projections
@testable import ReadModels

/// A log with one small model that follows it as in a server, and the operations of a tool that works beside that server.
final class ServedModel<Version: SmallVersion> {
    let data: TestData
    let log: EventLog
    let appender: Appender
    let box: ModelBox<SmallModel<Version>>
    let runner: ModelRunner
    let folder: ModelFolder

    init(_ data: TestData) throws {
        self.data = data
        log = try data.log()
        appender = try log.appender()
        folder = ModelFolder(models: data.models, model: "small")
        let opened = try OpenModel.open(SmallModel<Version>.self, in: data.models, log: log)
        box = ModelBox(try SmallModel<Version>(opened.store))
        runner = ModelRunner(try WaitingModel(box, opened, log), following: log)
    }

    /// Appends facts and waits until the model has applied them.
    func append(_ facts: some Collection<Fact>) async throws -> Bool {
        try log.append(facts, with: appender)
        return await runner.reached(log.head, timeoutSeconds: 600)
    }

    /// Returns the total that the model must show for these facts.
    static func total(_ facts: some Collection<Fact>) -> UInt64 {
        facts.reduce(0) { if case .cardStamped = $1.event { $0 + Version.weight } else { $0 } }
    }

    /// Completes a generation beside the served one, as the tool does.
    func build(known: Generation? = nil, observe: ModelBuilder.Observer = { _ in }) throws -> BuiltGeneration {
        let options = UpdateOptions(eventsPerBatch: 50, cachedMax: 10)
        return try ModelBuilder(models: data.models, log: log, options: options).complete(
            SmallModel<Version>.self, under: try BuildLock(folder), known: known, checking: .none, observe)
    }

    /// Offers a generation to the server and waits for its answer. A separate thread holds the model's build lock and blocks meanwhile.
    func offer(_ handover: Handover, waitSecondsMax: Double = 600) async throws -> HandoverOffer.Switcher {
        let offer = HandoverOffer(folder, log: data.path + "/log", waitSecondsMax: waitSecondsMax)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [folder] in
                continuation.resume(
                    with: Result {
                        let lock = try BuildLock(folder)
                        defer { withExtendedLifetime(lock) {} }
                        return try offer.make(handover)
                    })
            }
        }
    }

    func close() throws {
        try runner.stop()
        try log.close()
    }
}
