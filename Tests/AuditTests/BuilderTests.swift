import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

@testable import Projections
@testable import ReadModels

/// Builds of a new generation of a model while the current generation stays in use.
@Suite struct BuilderTests {
    @Test("A build switches each model to a new generation with the same digest, and the old one is deleted")
    func equalGeneration() throws {
        let sample = try AuditSample("builder")
        let log = try sample.data.log()
        for model in ReadModels.models { try expectSwitch(model, sample, log) }
    }

    private func expectSwitch<Model: Projection>(_ model: Model.Type, _ sample: AuditSample, _ log: EventLog) throws {
        let folder = ModelFolder(models: sample.data.models, model: Model.name)
        let (before, digest) = (try #require(folder.current), try ModelDigest(stored: model, in: sample.data.models))
        let summary = try ModelBuilder(models: sample.data.models, log: log).build(model)
        let after = try #require(folder.current)
        #expect(after.number == before.number + 1)
        #expect(summary.generation == after.text && summary.position == log.head)
        #expect(folder.generations == [after])
        #expect(try ModelDigest(stored: model, in: sample.data.models) == digest)
        var read = 0
        try log.scan(after: .start, through: log.head) { (_, record) in
            if model.eventTypes.contains(record.type) { read += 1 }
            return true
        }
        #expect(summary.applied == read)
    }

    /// The next build can continue the unfinished generation.
    @Test("A failed build leaves the old generation in use and the unfinished one beside it")
    func failedBuild() throws {
        let sample = try AuditSample("failed")
        let log = try sample.data.log()
        let folder = ModelFolder(models: sample.data.models, model: CardProgress.name)
        let before = try #require(folder.current)
        let appender = try log.appender()
        try appender.stage([NewEvent(type: .cardStamped, time: Timestamp(microseconds: 1))])
        try appender.commit()
        let error = #expect(throws: ReadModelError.self) {
            try ModelBuilder(models: sample.data.models, log: log).build(CardProgress.self)
        }
        #expect(error?.code == .eventRefused)
        #expect(folder.current == before)
        #expect(folder.generations.count == 2, "the unfinished generation lies beside the old one")
        let opened = try OpenModel.open(CardProgress.self, in: sample.data.models, log: log)
        #expect(opened.reason == nil && opened.generation == before)
        #expect(folder.generations.count == 2 && folder.halfBuilt == folder.generations.last, "the unfinished generation stays")
    }
}
