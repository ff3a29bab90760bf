import EventLog
import Foundation
import Histories
import Loyalty
import Projections
import Testing
import World

@testable import Audit
@testable import ReadModels

/// Differences that a damaged log causes are not diagnosed as a fault of a model. Otherwise an operator would rebuild the model from the
/// damaged log. The rebuild would make wrong rows, and the alarm would end.
@Suite struct DamagedLogDiagnosisTests {
    /// Changes one bit of the last event's actor, in every record with this actor in the log's file.
    ///
    /// - Returns: the first position whose record was changed.
    private func changeRecords(_ sample: AuditSample) throws -> UInt64 {
        let actor = try #require(sample.history.facts.last).actor
        let name = Data((0..<16).map { UInt8(truncatingIfNeeded: actor.value >> (8 * UInt128($0))) })
        let file = URL(filePath: sample.data.path + "/log/data.mdb")
        var bytes = try Data(contentsOf: file)
        while let place = bytes.range(of: name) { bytes[place.lowerBound] ^= 4 }
        try bytes.write(to: file)
        let log = try sample.data.log(.readOnly)
        let error = #expect(throws: AuditError.self) { try log.requireRecords() }
        return try #require(error?.position).rawValue
    }

    private func audited(_ sample: AuditSample) throws -> [AuditSample.Audited] {
        try sample.tamper(CardProgress.self) { store, tables, transaction in
            let card = try #require(sample.history.world.cards.values.min { $0.id < $1.id })
            var wrong = card
            wrong.stamps += 1
            var row: [UInt8] = []
            CardRow.encode(wrong, into: &row)
            try store.put(try #require(tables["cards"]), RowKey(card.id.value), row.span, in: &transaction)
        }
        return [try sample.audited([CardProgress.self], stretch: 70)]
    }

    @Test("Of a log with a changed record, the diagnosis names the log, the position, and a restore")
    func theLogIsTheCause() throws {
        let sample = try AuditSample("damaged log", count: 300)
        let position = try changeRecords(sample)
        for found in try audited(sample) {
            let diagnosis = try #require(found.first?.diagnosis, "\(found.news)")
            #expect(diagnosis.cause == .log && diagnosis.position == Position(position), "\(diagnosis)")
            #expect("\(diagnosis)".contains("damaged at position \(position)") && diagnosis.event == nil, "\(diagnosis)")
            #expect(diagnosis.remedy.contains("The log is damaged"), "\(diagnosis)")
            #expect(!diagnosis.remedy.contains("greentea-rebuild") && found.first?.mismatch != nil, "\(diagnosis)")
        }
    }

    @Test("Of an intact log, the stored rows are the cause as before")
    func theRowsAreTheCause() throws {
        for found in try audited(try AuditSample("intact log", count: 300)) {
            #expect(found.first?.diagnosis?.cause == .rows, "\(found.news)")
        }
    }

    @Test("A check of the records goes through the whole log, and may be ended at any step")
    func theCheckCanBeEnded() throws {
        let log = try AuditSample("checked log", count: 300).data.log(.readOnly)
        var reached = Position.start
        try log.requireRecords { (position: Position) in reached = position }
        #expect(reached == log.head)
        let end = AuditError(.stopped, "enough.", remedy: "")
        let error = #expect(throws: AuditError.self) { try log.requireRecords { (_) throws(AuditError) in throw end } }
        #expect(error?.code == .stopped)
    }
}
