import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

@testable import Audit
@testable import Projections
@testable import ReadModels

/// The auditor finds a bug in a model's `apply` in the background and traces it to the exact event.
@Suite struct SeededBugTests {
    private func expect<Model: ReadModel>(_ model: Model.Type, types: Set<String>, _ kind: Fault.Kind = .otherDay) throws {
        let sample = try AuditSample("bug in \(Model.name)", count: 300)
        let positions = sample.positions(of: types, count: 3)
        try #require(positions.count > 2, "\(positions)")
        for position in positions {
            let data = try sample.data.copy()
            let other = AuditSample(history: sample.history, data: data)
            Fault(position: position, kind: kind).seed(below: data.path)
            try AuditSample.build(Faulty<Model>.self, data, try data.log())
            // With these numbers of events between two comparisons, the wrong event is the last one before a comparison, the first one
            // after a comparison, or neither.
            for stretch in [position, position - 1, 64] where stretch > 0 {
                let found = try other.audited([Faulty<Model>.self], stretch: stretch)
                try expect(found, other, at: position)
            }
        }
    }

    private func expect(_ found: AuditSample.Audited, _ sample: AuditSample, at position: UInt64) throws {
        let model = try #require(found.first)
        #expect(model.mismatch != nil && model.failure == nil && model.position == Position(UInt64(sample.history.facts.count)))
        let diagnosis = try #require(model.diagnosis)
        #expect(diagnosis.cause == .apply && diagnosis.position == Position(position), "\(diagnosis)")
        let fact = sample.history.facts[Int(position) - 1]
        #expect(diagnosis.event == FactText.line(fact) && diagnosis.event?.contains(diagnosis.type ?? "-") == true)
        #expect(diagnosis.table != nil && diagnosis.key != nil && diagnosis.before != nil)
        // If the texts of the two rows are equal, the detail names the first different byte.
        #expect(diagnosis.stored != diagnosis.expected || diagnosis.detail?.contains("different from byte") == true)
        #expect(diagnosis.remedy.contains("schemaVersion"))
        guard found.news.count == 3, case .mismatch = found.news[0], case .diagnosis(diagnosis) = found.news[1],
            case .finished = found.news[2]
        else {
            Issue.record("\(found.news)")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: sample.data.derived + "/audit/test"), "the auditor leaves no folder behind")
    }

    @Test("A bug in the model of cards is traced to the event that it mistreats")
    func aBugInCardsIsFound() throws {
        try expect(CardProgress.self, types: ["cardOpened", "cardStamped", "redemptionRequested", "cardRedeemed"])
    }

    @Test("A bug in the model of ratings is traced to the event that it mistreats")
    func aBugInRatingsIsFound() throws { try expect(ShopRatings.self, types: ["reviewPosted", "replyPosted"]) }

    @Test("A bug in the model of notices is traced to the event that it mistreats")
    func aBugInNoticesIsFound() throws { try expect(Notices.self, types: ["accountRegistered", "noticePosted"], .otherPlace) }

    @Test("A bug in the model of statistics is traced to the event that it mistreats")
    func bugInStatistics() throws { try expect(Statistics.self, types: ["cardStamped", "codeIssued"]) }

    @Test("An event that a model skips is diagnosed before later events that the model refuses because of it")
    func skippedEvent() throws {
        let sample = try AuditSample("skipped", count: 300)
        let opened = sample.positions(of: ["cardOpened"], count: 2)
        for position in opened {
            Fault(position: position, kind: .skipped).seed(below: sample.data.path)
            let diagnosis = try diagnosis(sample)
            #expect(diagnosis.cause == .apply && diagnosis.position == Position(position), "\(diagnosis)")
            #expect(diagnosis.before == "nothing" && diagnosis.stored == "nothing" && diagnosis.expected != "nothing")
        }
    }

    @Test("An event that a model wrongly refuses is diagnosed")
    func aRefusedEventIsNamed() throws {
        let sample = try AuditSample("refused", count: 300)
        for position in sample.positions(of: ["cardStamped"], count: 3) {
            Fault(position: position, kind: .refused).seed(below: sample.data.path)
            let diagnosis = try diagnosis(sample)
            #expect(diagnosis.cause == .apply && diagnosis.position == Position(position), "\(diagnosis)")
            #expect(diagnosis.type == "CardStamped" && diagnosis.detail?.contains("told to refuse") == true)
        }
    }

    private func diagnosis(_ sample: AuditSample) throws -> Diagnosis {
        let end = Position(UInt64(sample.history.facts.count))
        let difference = ModelDifference(.changedRow, model: CardProgress.name, position: end)
        let bisection = sample.bisection(try sample.data.log(.readOnly), stretch: 100)
        return try bisection.diagnosis(of: difference, in: Faulty<CardProgress>.self)
    }
}
