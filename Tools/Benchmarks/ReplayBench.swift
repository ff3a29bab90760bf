import Audit
import CommandService
import EventLog
import LMDB
import LoyaltyCodec

/// Replay of a whole log to its digest, beside a raw LMDB cursor over the same records that touches every byte.
struct ReplayBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) throws {
        let data = DataFolder(folder + "/replay")
        try GeneratedLog(events: sizes.replayedEvents).write(to: data)
        var replays: [Double] = []
        var scans: [Double] = []
        for _ in 0..<sizes.rounds {
            scans.append(Double(sizes.replayedEvents) / (try blockingSeconds({ try rawScan(data.log) })))
            replays.append(Double(sizes.replayedEvents) / (try blockingSeconds({ try replay(data) })))
        }
        report.add("replay to digest", "events/s", replays)
        report.add("raw LMDB cursor scan, all bytes touched", "events/s", scans)
        report.addRatio("replay : scan", of: "replay to digest", to: "raw LMDB cursor scan, all bytes touched", target: 0.1)
    }

    private func replay(_ data: DataFolder) throws {
        let log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readOnly,
            created: Timestamp(microseconds: 0))
        let digest = StateDigest(of: try Replay(of: log))
        guard digest.position.rawValue == UInt64(sizes.replayedEvents) else { throw BenchError.unexpected }
    }

    private func rawScan(_ directory: String) throws {
        let environment = try Environment(directory: directory, access: .readOnly)
        guard try RawScan.count(in: environment) == sizes.replayedEvents else { throw BenchError.unexpected }
    }
}
