import Archive
import Audit
import CommandService
import EventLog
import Foundation
import LoyaltyCodec

/// Measures the replay of a whole log to its digest. The baseline is a raw LMDB cursor over the same records that reads every byte.
struct ReplayBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) throws {
        let data = DataFolder(folder + "/replay")
        try GeneratedLog(events: sizes.replayedEvents).write(to: data)
        var (replays, scans): ([Double], [Double]) = ([], [])
        for _ in 0..<sizes.rounds {
            scans.append(try RawScan.rate(of: sizes.replayedEvents, in: data.log))
            replays.append(Double(sizes.replayedEvents) / (try blockingSeconds({ try replay(data) })))
        }
        report.add("replay to digest", "events/s", replays)
        report.add("raw LMDB cursor scan, all bytes touched", "events/s", scans)
        report.addRatio("replay : scan", of: "replay to digest", to: "raw LMDB cursor scan, all bytes touched", target: 0.1)
    }

    private func replay(_ data: DataFolder) throws {
        let log = try data.log(.readOnly)
        let digest = StateDigest(of: try Replay(of: log))
        guard digest.position.rawValue == UInt64(sizes.replayedEvents) else { throw BenchError.unexpected }
    }
}

/// Measures the verification of whole logs without faults. The baseline is a raw LMDB cursor over the same records that reads every byte.
struct VerifyBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) throws {
        for events in sizes.verifiedEvents {
            let data = DataFolder(folder + "/verify-\(events)")
            try GeneratedLog(events: events).write(to: data)
            var (verified, scans): ([Double], [Double]) = ([], [])
            for _ in 0..<sizes.rounds {
                scans.append(try RawScan.rate(of: events, in: data.log))
                verified.append(Double(events) / (try blockingSeconds({ try verify(data, events) })))
            }
            let (row, baseline) = ("verify, \(events) events", "raw LMDB cursor scan of \(events), all bytes touched")
            report.add(row, "events/s", verified)
            report.add(baseline, "events/s", scans)
            report.addRatio("verify : scan, \(events) events", of: row, to: baseline)
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
