import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import Seeds
import Testing

/// A byte changed anywhere in the log's own file.
@Suite struct FlippedLogByteTests {
    /// The number of flips; set `GREENTEA_FLIPS` for more.
    private static let flips = ProcessInfo.processInfo.environment["GREENTEA_FLIPS"].flatMap { Int($0) } ?? 200
    /// The number of events in the log; set `GREENTEA_EVENTS` for more.
    private static let events = ProcessInfo.processInfo.environment["GREENTEA_EVENTS"].flatMap { Int($0) } ?? 2_000

    /// A harmless flip lies in bytes that nothing reads.
    @Test("A flipped bit anywhere in the log's file is found, or changes no record and no root")
    func anyFlip() throws {
        let log = try VerifiedLog(VerifiedLog.history("flips", Self.events).facts)
        let content = try log.content()
        var random = SeededRandom.announced("flips")
        let file = try Data(contentsOf: log.file)
        // The zeros at the file's end are room, which belongs to no page.
        let used = (file.lastIndex { $0 != 0 } ?? 0) + 1
        var (found, harmless) = (0, 0)
        for _ in 0..<Self.flips {
            let (offset, bit) = (Int.random(in: 0..<used, using: &random), UInt8(1) << UInt8.random(in: 0..<8, using: &random))
            var damaged = file
            damaged[offset] ^= bit
            try damaged.write(to: log.file)
            if try !isClean(log) {
                found += 1
            } else {
                harmless += 1
                #expect(try log.content() == content, "byte \(offset % 4_096) of page \(offset / 4_096), bit \(bit)")
            }
        }
        try file.write(to: log.file)
        #expect(try isClean(log))
        print("flips: \(found) found, \(harmless) where nobody reads, in \(used) bytes")
        #expect(found > harmless)
    }

    @Test("A flipped bit in any byte of an entry, from its header through the actor, is found")
    func readByte() throws {
        let facts = VerifiedLog.history("record", 1_000).facts
        let log = try VerifiedLog(facts)
        let file = try Data(contentsOf: log.file)
        let needle = Data((0..<16).map { UInt8(truncatingIfNeeded: facts[500].actor.value >> (8 * UInt128($0))) })
        let place = try #require(file.range(of: needle)).lowerBound
        for offset in place - 32..<place + 16 {
            var damaged = file
            damaged[offset] ^= 4
            try damaged.write(to: log.file)
            #expect(try !isClean(log), "byte \(offset - place) from the card's id")
        }
    }

    /// Returns whether the verification finds nothing. A file that cannot be opened as a log is treated as a finding.
    private func isClean(_ log: VerifiedLog) throws -> Bool {
        do { return try log.report().isClean } catch let error as AuditError {
            #expect(error.code == .log || error.code == .damaged || error.code == .missing, "\(error)")
            return false
        }
    }
}
