import Archive
import Audit
import EventLog
import Foundation
import LoyaltyCodec

extension Report {
    /// Measures passes over a log. The baseline is a raw LMDB cursor over the same records that reads every byte.
    fileprivate mutating func addPasses(
        _ row: String, beside scan: String, over data: DataFolder, of events: Int, rounds: Int, _ pass: () throws -> Void
    ) throws {
        var (passes, scans): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            scans.append(try RawScan.rate(of: events, in: data.log))
            passes.append(try passRate(of: events, pass))
        }
        add(row, "events/s", passes)
        add(scan, "events/s", scans)
    }
}

/// Measures the replay of a whole log to its digest.
struct ReplayBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) throws {
        let (data, events) = (DataFolder(folder + "/replay"), sizes.replayedEvents)
        try GeneratedLog(events: events).write(to: data)
        let (row, scan) = ("replay to digest", "raw LMDB cursor scan, all bytes touched")
        try report.addPasses(row, beside: scan, over: data, of: events, rounds: sizes.rounds) { try Self.replay(data, events) }
        report.addRatio("replay : scan", of: row, to: scan, target: 0.1)
    }

    static func replay(_ data: DataFolder, _ events: Int) throws {
        let log = try data.log(.readOnly)
        guard StateDigest(of: try Replay(of: log)).position.rawValue == UInt64(events) else { throw BenchError.unexpected }
    }
}

/// Measures the verification of whole logs without faults.
struct VerifyBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) throws {
        for events in sizes.verifiedEvents {
            let data = DataFolder(folder + "/verify-\(events)")
            try GeneratedLog(events: events).write(to: data)
            let (row, scan) = ("verify, \(events) events", "raw LMDB cursor scan of \(events), all bytes touched")
            try report.addPasses(row, beside: scan, over: data, of: events, rounds: sizes.rounds) { try verify(data, events) }
            report.addRatio("verify : scan, \(events) events", of: row, to: scan)
            try FileManager.default.removeItem(atPath: data.path)
        }
    }

    private func verify(_ data: DataFolder, _ events: Int) throws {
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1e6))
        let report = try Verification(AuditedFolder(data.path), options: .init(now: now)).run()
        let head = Position(UInt64(events))
        guard report.isClean, report.head == head, report.indexed == head else { throw BenchError.unexpected }
    }
}
