import Audit
import EventLog
import Foundation
import LMDB
import LoyaltyCodec
import ReadModels

/// Replay and rebuilds of the logs of towns of several sizes, beside a raw LMDB cursor over the same records that touches every byte,
/// and beside UmaDB's reading of a log of its own.
struct ScaleBench {
    let sizes: Sizes
    let folder: String
    let umadb: String?

    func run(into report: inout Report) throws {
        for events in sizes.townEvents {
            try measure(events, into: &report)
        }
        guard let umadb else { return }
        for (name, figure) in try UmaDBBaseline.figures(of: umadb, ["--read"]) { report.add("UmaDB, \(name)", "events/s", [figure]) }
    }

    private func measure(_ events: Int, into report: inout Report) throws {
        let data = DataFolder(folder + "/town-\(events)")
        try GeneratedTown(events: events, in: data).write()
        var (scans, replays, cards, all): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for _ in 0..<sizes.rounds {
            scans.append(Double(events) / (try blockingSeconds { try rawScan(data.log, events) }))
            replays.append(Double(events) / (try blockingSeconds { try replay(data, events) }))
            cards.append(Double(events) / (try blockingSeconds { try rebuild(data, [CardProgress.self]) }))
            all.append(Double(events) / (try blockingSeconds { try rebuild(data, ReadModels.models) }))
        }
        let name = "town of \(events) events: "
        report.add(name + "raw LMDB cursor scan", "events/s", scans)
        report.add(name + "replay to digest", "events/s", replays)
        report.add(name + "rebuild of \(CardProgress.name)", "events/s", cards)
        report.add(name + "rebuild of \(ReadModels.names.count) models, two at a time", "events/s", all)
        report.add(name + "most memory so far, mapped files included", "MB", [ProcessFigures.megabytes("VmHWM")])
        report.add(name + "the same without mapped files", "MB", [ProcessFigures.megabytes("RssAnon")])
        report.addRatio(name + "replay : scan", of: name + "replay to digest", to: name + "raw LMDB cursor scan")
        try FileManager.default.removeItem(atPath: data.path)
    }

    private func rawScan(_ directory: String, _ events: Int) throws {
        let environment = try Environment(directory: directory, access: .readOnly)
        guard try RawScan.count(in: environment) == events else { throw BenchError.unexpected }
    }

    private func replay(_ data: DataFolder, _ events: Int) throws {
        let log = try open(data, .readOnly)
        guard StateDigest(of: try Replay(of: log)).position.rawValue == UInt64(events) else { throw BenchError.unexpected }
    }

    /// As `greentea-rebuild --no-check` does: to the moment in which the new generations are in use.
    private func rebuild(_ data: DataFolder, _ models: [any Projection.Type]) throws {
        var options = RebuildOptions()
        (options.checks, options.keepsOld) = (false, false)
        for outcome in Rebuild(data, log: try open(data, .readOnly), options: options).all(.build, of: models) { _ = try outcome.get() }
    }

    private func open(_ data: DataFolder, _ access: EventLog.Access) throws -> EventLog {
        try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: access, created: Timestamp(microseconds: 0))
    }
}
