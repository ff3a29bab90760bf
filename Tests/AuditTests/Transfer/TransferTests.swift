import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

/// Exporting events from one log and importing them into another.
@Suite struct TransferTests {
    private func exported(_ data: TestData, _ format: TransferFormat, after: UInt64 = 0) throws -> [UInt8] {
        let sink = Bytes()
        _ = try Export(of: try data.log(.readOnly), format: format) { sink.bytes += $0 }.run(after: Position(after))
        return sink.bytes
    }

    @discardableResult
    private func imported(_ bytes: [UInt8], into data: TestData) throws -> Import.Summary {
        let source = Bytes(bytes)
        let log = try data.log()
        defer { try? log.close() }
        return try Import(into: log).run { source.take(min($0, 1_000)) }
    }

    @Test("An import reproduces the exported log with the same root", arguments: TransferFormat.allCases, [0, 1, 1_024, 2_500])
    func reproducedLog(format: TransferFormat, count: Int) throws {
        let data = try TestData.with(VerifiedLog.history("transfer", count).facts.prefix(count))
        let bytes = try exported(data, format)
        let other = TestData()
        let summary = try imported(bytes, into: other)
        #expect(summary.events == UInt64(count))
        #expect(try exported(other, .binary) == exported(data, .binary))
        #expect(summary.root == (try data.log(.readOnly).root()))
    }

    @Test("The tail of a log is imported only behind the end of a log with the events before it", arguments: TransferFormat.allCases)
    func importedTail(format: TransferFormat) throws {
        let facts = VerifiedLog.history("tail", 1_500).facts
        let data = try TestData.with(facts)
        let other = try TestData.with(facts.prefix(700))
        try imported(try exported(data, format, after: 700), into: other)
        #expect(try exported(other, .binary) == exported(data, .binary))
        let error = #expect(throws: AuditError.self) { try imported(try exported(data, format, after: 700), into: other) }
        #expect(error?.code == .input, "the log no longer ends at position 700")
    }

    @Test("The tail of another log is refused and changes nothing", arguments: TransferFormat.allCases)
    func otherTail(format: TransferFormat) throws {
        let data = try TestData.with(VerifiedLog.history("one", 1_500).facts)
        let other = try TestData.with(VerifiedLog.history("two", 700).facts.prefix(700).map { $0 })
        let tail = try exported(data, format, after: 700)
        let error = #expect(throws: AuditError.self) { try imported(tail, into: other) }
        #expect(error?.code == .input)
        #expect(try other.log(.readOnly).head == Position(700))
    }

    @Test("An import of a cut or changed file keeps only whole batches of the original", arguments: TransferFormat.allCases)
    func badFiles(format: TransferFormat) throws {
        let data = try TestData.with(VerifiedLog.history("bad", 2_200).facts)
        let bytes = try exported(data, format)
        let original = try VerifiedLog(data: data).content()
        var random = SeededRandom.announced("bad files")
        for round in 0..<24 {
            var bad = bytes
            let place = Int.random(in: 0..<bytes.count, using: &random)
            if round % 2 == 0 { bad.removeLast(bytes.count - place) } else { bad[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
            let other = TestData()
            let whole = (try? imported(bad, into: other)) != nil
            guard FileManager.default.fileExists(atPath: other.path + "/log/data.mdb") else { continue }
            let records = try VerifiedLog(data: other).content().dropLast()
            #expect(records.elementsEqual(original.prefix(records.count)), "place \(place)")
            #expect(records.count % 1_024 == 0 || records.count == original.count - 1)
            #expect(!whole || format == .jsonl || round % 2 == 1 && place < 60, "place \(place) of \(bytes.count) was not noticed")
        }
    }

    @Test("After an export that was cut off, the error says where the log ends now", arguments: TransferFormat.allCases)
    func cutOff(format: TransferFormat) throws {
        let data = try TestData.with(VerifiedLog.history("cut off", 2_200).facts)
        let bytes = try exported(data, format)
        let error = #expect(throws: AuditError.self) { try imported(Array(bytes.dropLast(bytes.count / 20)), into: TestData()) }
        #expect(error?.code == .input && error?.detail.contains("the log ends at position 2048") == true, "\(String(describing: error))")
        #expect(error?.remedy.contains("--after 2048") == true, "\(String(describing: error))")
    }

    @Test(
        "A file that is not an export is refused",
        arguments: ["", "{}", "GreenTea events\n", "GreenTea events\n\u{1}\u{0}", #"{"format":"other"}"# + "\n"])
    func noExport(text: String) throws {
        let error = #expect(throws: AuditError.self) { try imported(Array(text.utf8), into: TestData()) }
        #expect(error?.code == .input)
    }
}

/// A memory buffer that a log is exported to and imported from.
private final class Bytes {
    var bytes: [UInt8]

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    func take(_ count: Int) -> [UInt8] {
        defer { bytes.removeFirst(min(count, bytes.count)) }
        return Array(bytes.prefix(count))
    }
}
