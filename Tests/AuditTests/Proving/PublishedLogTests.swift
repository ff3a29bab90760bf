import Archive
import Audit
import EventLog
import Foundation
import Histories
import LoyaltyCodec
import Merkle
import Testing

/// Reading a signed log with the tools' code.
@Suite struct PublishedLogTests {
    @Test("Every event is proved under the checkpoint that the folder keeps")
    func everyEvent() throws {
        let published = try PublishedSample(300).published
        let policy = TrustPolicy(published.key)
        for position in 1...300 as ClosedRange<UInt64> {
            let receipt = try published.receipt(of: Position(position))
            #expect(receipt.index == position - 1)
            #expect(try receipt.verify(try #require(receipt.extra), by: policy) == published.checkpoint)
        }
    }

    @Test("A position that the checkpoint does not cover is not proved")
    func uncovered() throws {
        let sample = try PublishedSample(3)
        try sample.grow(by: 2, isSigned: false)
        let published = try sample.published
        #expect(published.size == Position(3) && published.log.head == Position(5))
        for position in [0, 4, 5, 6, UInt64.max] {
            #expect(auditCode { _ = try published.receipt(of: Position(position)) } == .unproved)
        }
        _ = try published.receipt(of: Position(3))
    }

    @Test("A log without its checkpoint or its key proves nothing", arguments: ["checkpoint", "checkpoint.vkey"])
    func noCheckpoint(_ file: String) throws {
        let sample = try PublishedSample(3)
        try FileManager.default.removeItem(atPath: sample.data.path + "/" + file)
        #expect(auditCode { _ = try sample.published } == .unproved)
    }

    @Test("A checkpoint that is altered or empty is reported")
    func alteredCheckpoint() throws {
        let sample = try PublishedSample(3)
        var note = try sample.published.checkpoint.note.bytes
        note[note.count / 2] ^= 1
        try sample.replaceCheckpoint(with: note)
        #expect(auditCode { _ = try sample.published } == .checkpoint)
        try sample.replaceCheckpoint(with: [])
        #expect(auditCode { _ = try sample.published } == .checkpoint)
    }

    @Test("A checkpoint of more events than the log has is reported with their number")
    func longerCheckpoint() throws {
        let (sample, longer) = (try PublishedSample(3), try PublishedSample(4))
        try sample.replaceCheckpoint(with: try longer.published.checkpoint.note.bytes)
        let error = #expect(throws: AuditError.self) { _ = try sample.published }
        #expect(error?.code == .checkpoint && error?.detail.contains("4 events") == true, "a log cut short: \(String(describing: error))")
    }
}
