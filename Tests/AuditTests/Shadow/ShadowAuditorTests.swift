import Dispatch
import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Patience
import Projections
import ReadModels
import Search
import Seeds
import Synchronization
import Testing
import World

@testable import Audit
@testable import ReadModels

/// The auditor in a process that keeps the models open and appends events.
@Suite struct ShadowAuditorTests {
    /// A log that can grow, with open models that follow it.
    private struct Live {
        let history: RandomHistory
        let data = TestData()
        let log: EventLog
        let models: ReadModels

        init(_ name: String) throws {
            var history = RandomHistory(random: SeededRandom.announced(name))
            history.grow(to: 1_200)
            self.history = history
            log = try data.log()
            let discovery = try Discovery(directory: data.models, log: log)
            models = try ReadModels(directory: data.models, log: log, others: [try discovery.waiting(for: log)])
        }

        func auditor(_ told: Told, schedule: AuditSchedule = .off) -> ShadowAuditor {
            ShadowAuditor(models, in: DataFolder(data.path), log: log, schedule: schedule) { told.add($0) }
        }

        /// Appends facts to the log. Only one caller may append at a time, because a log has one appender.
        func write(_ facts: some Collection<Fact>) throws { try log.append(facts, with: try log.appender()) }

        /// Waits until every model has reached the head, and fails if a model has failed.
        func settle() throws {
            try eventually("the models are at the head") {
                try #require(models.status.allSatisfy { $0.failure == nil })
                return models.position >= log.head
            }
        }

        /// Writes a row into an open model.
        func put(_ card: Card) throws {
            let store = try #require(models.store(of: CardProgress.name))
            let environment = store.environment
            let table = try store.table(CardProgress.tables[0])
            var row: [UInt8] = []
            CardRow.encode(card, into: &row)
            var transaction = try environment.write()
            try store.put(table, RowKey(card.id.value), row.span, in: &transaction)
            try transaction.commit()
        }

        func close() throws {
            try models.close()
            try log.close()
        }
    }

    @Test("The store of each model is found by the model's name")
    func storesByName() throws {
        let live = try Live("stores")
        for name in ReadModels.names { #expect(live.models.store(of: name)?.model == name) }
        #expect(live.models.store(of: "nonsense") == nil)
        try live.close()
    }

    @Test("An intact log that grows during the audits causes no report of a difference")
    func intactLog() throws {
        let live = try Live("quiet")
        let told = Told()
        let auditor = live.auditor(told)
        let writing = Mutex(true)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [log = live.log, facts = live.history.facts] in
            if let appender = try? log.appender() { for fact in facts { try? log.append([fact], with: appender) } }
            writing.withLock { $0 = false }
            ended.signal()
        }
        var runs: UInt64 = 0
        while writing.withLock({ $0 }) || runs < 2 {
            auditor.run()
            runs += 1
        }
        try ended.waitInTime("the writer has ended")
        try live.settle()
        auditor.run()
        #expect(live.log.head == Position(UInt64(live.history.facts.count)))
        let status = auditor.status
        #expect(status.runs == runs + 1 && status.lastSeconds != nil)
        #expect(status.models.map(\.name) == ReadModels.names + [Discovery.name])
        for model in status.models {
            #expect(model.mismatch == nil && model.failure == nil && model.position != nil, "\(model)")
        }
        // The model need not store the position of an event that touches no card. So its position may be behind the log's head.
        let position = try #require(status.models[0].position)
        #expect(position <= live.log.head && live.log.head.rawValue - position.rawValue < UInt64(ProjectionLimits.unstoredEvents))
        #expect(told.all.allSatisfy { if case .finished = $0 { true } else { false } }, "\(told.all)")
        try live.close()
    }

    @Test("A changed row in an open model is diagnosed once, and reported as mended after its repair")
    func changedRow() throws {
        let live = try Live("changed")
        try live.write(live.history.facts)
        try live.settle()
        let card = try #require(live.history.world.cards.values.min { $0.id < $1.id })
        var wrong = card
        wrong.stamps += 1
        try live.put(wrong)
        let told = Told()
        let auditor = live.auditor(told)
        auditor.run()
        auditor.run()
        #expect(auditor.status.models[0].mismatch?.key == card.id.text)
        #expect(auditor.status.models[0].diagnosis?.cause == .rows)
        #expect(auditor.status.models.dropFirst().allSatisfy { $0.mismatch == nil })
        #expect(told.all.count { if case .diagnosis = $0 { true } else { false } } == 1, "a difference is diagnosed only once")
        #expect(told.all.count { if case .mismatch = $0 { true } else { false } } == 2, "an unchanged difference is reported again")
        try live.put(card)
        auditor.run()
        #expect(auditor.status.models[0].mismatch == nil && auditor.status.models[0].diagnosis == nil)
        #expect(told.all.contains { if case .mended(CardProgress.name) = $0 { true } else { false } })
        try live.close()
    }

    @Test("An auditor that is stopped during its first report examines nothing more")
    func stoppingIsPrompt() throws {
        let live = try Live("stop")
        try live.write(live.history.facts)
        try live.settle()
        var wrong = try #require(live.history.world.cards.values.first)
        wrong.stamps += 1
        try live.put(wrong)
        let (said, go, stopped) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let told = Told()
        let auditor = ShadowAuditor(
            live.models, in: DataFolder(live.data.path), log: live.log, schedule: try #require(AuditSchedule(text: "every:1s"))
        ) { news in
            told.add(news)
            said.signal()
            try? go.waitInTime("the auditor may go on")
        }
        auditor.start()
        auditor.start()
        try said.waitInTime("the mismatch is reported")
        Thread.detachNewThread {
            auditor.stop()
            stopped.signal()
        }
        try eventually("it is told to stop") { auditor.isStopping }
        go.signal()
        try stopped.waitInTime("the auditor has stopped")
        auditor.stop()
        #expect(told.all.count == 1 && auditor.status.runs == 0)
        #expect(auditor.status.models[0].mismatch != nil && auditor.status.models[0].diagnosis == nil)
        #expect(auditor.status.models.dropFirst().allSatisfy { $0.position == nil && $0.failure == nil })
        try live.close()
    }

    @Test("An auditor with a schedule runs more than once before it is stopped")
    func runsAgain() throws {
        let live = try Live("again")
        try live.write(live.history.facts.prefix(300))
        let auditor = live.auditor(Told(), schedule: try #require(AuditSchedule(text: "every:1s")))
        auditor.start()
        try eventually("it has run twice") { auditor.status.runs >= 2 }
        auditor.stop()
        let runs = auditor.status.runs
        #expect(runs >= 2)
        try live.close()
    }

    @Test("An auditor without a schedule examines nothing when it is started")
    func noSchedule() throws {
        let live = try Live("off")
        let auditor = live.auditor(Told())
        auditor.start()
        auditor.stop()
        #expect(auditor.status.runs == 0)
        try live.close()
    }
}
