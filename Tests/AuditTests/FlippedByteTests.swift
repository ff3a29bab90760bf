import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import Testing
import World

@testable import Projections
@testable import ReadModels

/// A byte in a model's file is changed directly, bypassing the storage layer.
@Suite struct FlippedByteTests {
    private func path(_ sample: AuditSample) throws -> String {
        let folder = ModelFolder(models: sample.data.models, model: CardProgress.name)
        return folder.path(of: try #require(folder.current)) + "/data.mdb"
    }

    private func verdict(_ sample: AuditSample) throws -> ModelVerdict {
        try Comparison(models: sample.data.models, log: try sample.data.log(.readOnly)).verdict(of: CardProgress.self)
    }

    @Test("A flipped bit in a card's row is reported as a changed row with the key of a card")
    func flippedRow() throws {
        let sample = try AuditSample("flip", count: 300)
        let card = try #require(sample.history.world.cards.values.max { $0.id < $1.id })
        var row: [UInt8] = []
        CardRow.encode(card, into: &row)
        let path = try path(sample)
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(file.range(of: Data(row)), "the row's bytes lie together in the file").lowerBound
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
            Issue.record("the undamaged file was reported as different")
            return
        }
    }

    @Test("A changed byte outside of the rows breaks the file's seal, and goes unnoticed without the seal")
    func outsideRows() throws {
        let sample = try AuditSample("slack", count: 300)
        let path = try path(sample)
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        var noticed = 0
        for page in stride(from: 2 * 4_096, to: file.count, by: 4_096) {
            // The middle of a page's free space lies between its pointers and its rows.
            let (lower, upper) = (Int(file[page + 12]) | Int(file[page + 13]) << 8, Int(file[page + 14]) | Int(file[page + 15]) << 8)
            guard lower + 8 < upper, upper <= 4_096 else { continue }
            var damaged = file
            damaged[page + (lower + upper) / 2] ^= 1
            try damaged.write(to: URL(fileURLWithPath: path))
            guard case .different(let difference) = try verdict(sample) else {
                Issue.record("a flip in page \(page / 4_096) was not noticed")
                continue
            }
            #expect(difference.kind == .damaged)
            noticed += 1
        }
        #expect(noticed > 3)
        try FileManager.default.removeItem(atPath: path.replacingOccurrences(of: "data.mdb", with: "seal"))
        guard case .equal = try verdict(sample) else {
            Issue.record("a change outside the rows was noticed without a seal")
            return
        }
    }

    @Test("A model's file has no seal while it is open for writing, and a clean close writes a new one")
    func openForWriting() throws {
        let sample = try AuditSample("seal", count: 100)
        let seal = try path(sample).replacingOccurrences(of: "data.mdb", with: "seal")
        #expect(FileManager.default.fileExists(atPath: seal))
        let log = try sample.data.log()
        do {
            let opened = try OpenModel.open(CardProgress.self, in: sample.data.models, log: log)
            #expect(opened.reason == nil)
            #expect(!FileManager.default.fileExists(atPath: seal))
            try opened.close()
        }
        #expect(FileManager.default.fileExists(atPath: seal))
    }

    @Test("A model whose file is cut short is reported as damaged")
    func cutFile() throws {
        let sample = try AuditSample("cut", count: 300)
        let path = try path(sample)
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        try file.prefix(3 * 4_096).write(to: URL(fileURLWithPath: path))
        guard case .different(let difference) = try verdict(sample) else {
            Issue.record("the cut file was not noticed")
            return
        }
        #expect(difference.kind == .damaged)
    }
}
