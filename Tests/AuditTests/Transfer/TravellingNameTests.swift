import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

/// A log's name is exported and imported with its events, because checkpoints and keys refer to it.
@Suite struct TravellingNameTests {
    private func log(_ data: TestData, _ name: String?, _ created: Int64 = 1) throws -> EventLog {
        var options = EventLog.Options()
        (options.origin, options.leavesNameOpen) = (name, true)
        let place = DataFolder(data.path)
        return try EventLog(
            directory: place.log, index: place.index, schema: LoyaltySchema.schema, access: .readWrite,
            created: Timestamp(microseconds: created), options: options)
    }

    private func filled(_ name: String?) throws -> TestData {
        let data = TestData()
        let log = try log(data, name)
        try log.append(VerifiedLog.history("named", 60).facts, with: try log.appender())
        try log.close()
        return data
    }

    private func exported(_ data: TestData, _ format: TransferFormat) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try Export(of: AuditedFolder(data.path).log(.readOnly), format: format) { bytes += $0 }.run()
        return bytes
    }

    private func imported(_ bytes: [UInt8]) throws -> TestData {
        let data = TestData()
        var (rest, opened): ([UInt8], EventLog?) = (bytes, nil)
        let importing = Import { name in
            let log = try log(data, name, 2)
            opened = log
            return log
        }
        _ = try importing.run { count in
            defer { rest.removeFirst(min(count, rest.count)) }
            return Array(rest.prefix(count))
        }
        try opened?.close()
        return data
    }

    @Test("A log's name is transferred with its events", arguments: TransferFormat.allCases)
    func transferredName(format: TransferFormat) throws {
        let other = try imported(try exported(try filled("tea.example/log"), format))
        let log = try AuditedFolder(other.path).log(.readOnly)
        #expect(try log.givenName() == "tea.example/log" && log.origin == "tea.example/log")
    }

    @Test("A log without a name can be named after a transfer", arguments: TransferFormat.allCases)
    func laterName(format: TransferFormat) throws {
        let other = try imported(try exported(try filled(nil), format))
        #expect(try AuditedFolder(other.path).log(.readOnly).givenName() == nil)
        let named = try log(other, "later.example/log")
        #expect(try named.givenName() == "later.example/log")
        try named.close()
    }

    @Test("An import of a file that is no export opens no log")
    func noExport() throws {
        var wasOpened = false
        let importing = Import { _ in
            wasOpened = true
            throw CancellationError()
        }
        #expect(auditCode { _ = try importing.run { _ in [] } } == .input)
        #expect(!wasOpened)
    }
}
