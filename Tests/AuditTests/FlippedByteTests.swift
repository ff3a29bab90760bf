import Audit
import EventLog
import Foundation
import Histories
import Loyalty
@testable import ReadModels
import Testing

/// A byte changed in the file itself, behind the storage layer's back.
@Suite struct FlippedByteTests {
    private func path(_ sample: AuditSample) throws -> String {
        let folder = ModelFolder(models: sample.data.models, model: CardProgress.name)
        return folder.path(of: try #require(folder.current)) + "/data.mdb"
    }

    private func verdict(_ sample: AuditSample) throws -> ModelVerdict {
        try Comparison(models: sample.data.models, log: try sample.data.log(.readOnly)).verdict(of: CardProgress.self)
    }

    /// Every byte of a card's row, key and value: each flip is the first difference, and is named with the card.
    @Test func eachByteOfARowIsNoticed() throws {
        let sample = try AuditSample("flip", count: 300)
        let card = try #require(sample.history.world.cards.values.max { $0.id < $1.id })
        var row: [UInt8] = []
        CardRow.encode(card, into: &row)
        let path = try path(sample)
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(file.range(of: Data(row)), "the row lies in one piece in the file").lowerBound
        for offset in stride(from: 0, to: row.count, by: 7) {
            var damaged = file
            damaged[place + offset] ^= 0x10
            try damaged.write(to: URL(fileURLWithPath: path))
            guard case .different(let difference) = try verdict(sample) else {
                Issue.record("a flip in byte \(offset) was not noticed")
                continue
            }
            #expect(difference.kind == .changedRow && difference.key?.hasPrefix("card_") == true)
        }
        try file.write(to: URL(fileURLWithPath: path))
        guard case .equal = try verdict(sample) else {
            Issue.record("the file as it was is not equal")
            return
        }
    }

    @Test func aCutFileIsADamagedModel() throws {
        let sample = try AuditSample("cut", count: 300)
        let path = try path(sample)
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        try file.prefix(3 * 4_096).write(to: URL(fileURLWithPath: path))
        guard case .different(let difference) = try verdict(sample) else {
            Issue.record("not noticed")
            return
        }
        #expect(difference.kind == .damaged)
    }
}
