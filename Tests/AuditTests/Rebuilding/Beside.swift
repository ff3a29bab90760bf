import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Search
import Synchronization
import Testing

@testable import Audit

/// A data folder whose read models follow the log as in a server, while rebuilds run in the same process.
final class Beside: Sendable {
    let data: TestData
    let log: EventLog
    private let appender: Mutex<Appender>
    let models: ReadModels
    /// The discovery model; nil unless `discovers` was true.
    let discovery: Discovery?

    init(_ data: TestData = TestData(), discovers: Bool = false) throws {
        self.data = data
        log = try data.log()
        appender = Mutex(try log.appender())
        discovery = discovers ? try Discovery(directory: data.models, log: log) : nil
        models = try ReadModels(directory: data.models, log: log, others: [discovery?.waiting(for: log)].compactMap { $0 })
    }

    func append(_ facts: ArraySlice<Fact>) throws { try appender.withLock { try log.append(facts, with: $0) } }

    /// Appends an event without checking it.
    ///
    /// - Returns: the event's position.
    func append(_ event: NewEvent) throws -> Position {
        try appender.withLock { appender in
            let position = try appender.stage(event)
            try appender.commit()
            return position
        }
    }

    func folder(_ model: String) -> ModelFolder { ModelFolder(models: data.models, model: model) }

    /// Rebuilds on a separate thread, because a rebuild blocks.
    func rebuild(
        _ task: Rebuild.Task = .build, _ types: [any Projection.Type] = ReadModels.models, options: RebuildOptions = .init(),
        _ observe: @escaping Rebuild.Observer = { _, _ in }
    ) async -> [Result<RebuildOutcome, ReadModelError>] {
        let rebuild = Rebuild(DataFolder(data.path), log: log, options: options)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: rebuild.all(task, of: types, observe)) }
        }
    }

    /// Rebuilds the discovery model on a separate thread.
    func discover(
        _ task: Rebuild.Task = .build, options: RebuildOptions = .init(), _ observe: @escaping Rebuild.Observer = { _, _ in }
    ) async throws -> RebuildOutcome {
        let rebuild = Rebuild(DataFolder(data.path), log: log, options: options)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try rebuild.discovery(task, observe) }) }
        }
    }

    /// Compares the stored models with a replay. It reads a copy, because this folder's files stay open until the last reference is
    /// released.
    func expectDigests() throws {
        let copy = try data.copy()
        let log = try copy.log(.readOnly)
        let digests = StateDigest(of: try Replay(of: log)).models
        #expect(try ReadModels.models.map { try ModelDigest(stored: $0, in: copy.models) } == digests)
        let comparison = Comparison(models: copy.models, log: log)
        for model in ReadModels.models {
            guard case .equal(let position, _) = try comparison.verdict(of: model) else {
                Issue.record("\(model.name) differs")
                continue
            }
            #expect(position == log.head)
        }
    }

    func close() throws {
        try models.close()
        try log.close()
    }
}
