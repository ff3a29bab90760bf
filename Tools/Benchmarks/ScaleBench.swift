import Audit
import Charts
import EventLog
import Foundation
import LoyaltyCodec
import PastStates
import Projections
import ReadModels

/// Measures replays and rebuilds of ``GeneratedTown`` logs of several sizes. Baselines are a raw LMDB cursor and UmaDB, each reading its
/// log.
struct ScaleBench {
    let sizes: Sizes
    let folder: String
    let umadb: String?
    /// The file for a chart of throughput against size.
    let picture: String?

    /// The figures in the chart.
    private static let drawn = ["replay to digest", "rebuild of \(CardProgress.name)", allModels]
    private static let allModels = "rebuild of \(ReadModels.names.count) models, two at a time"
    /// Queries about the past, each for a different card.
    private static let questions: UInt64 = 20

    func run(into report: inout Report) throws {
        for events in sizes.townEvents { try measure(events, into: &report) }
        if let picture { try draw(report).write(toFile: picture, atomically: true, encoding: .utf8) }
        guard let umadb else { return }
        for (name, figure) in try UmaDBBaseline.figures(of: umadb, ["--read"]) { report.add("UmaDB, \(name)", "events/s", [figure]) }
    }

    private func measure(_ events: Int, into report: inout Report) throws {
        let data = DataFolder(folder + "/town-\(events)")
        try GeneratedTown(events: events, in: data).write()
        var (scans, replays, cards, all): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for _ in 0..<sizes.rounds {
            scans.append(try RawScan.rate(of: events, in: data.log))
            replays.append(try passRate(of: events) { try ReplayBench.replay(data, events) })
            cards.append(try passRate(of: events) { try rebuild(data, [CardProgress.self]) })
            all.append(try passRate(of: events) { try rebuild(data, ReadModels.models) })
        }
        let name = Self.town(events)
        report.add(name + "raw LMDB cursor scan", "events/s", scans)
        report.add(name + "replay to digest", "events/s", replays)
        report.add(name + "rebuild of \(CardProgress.name)", "events/s", cards)
        report.add(name + Self.allModels, "events/s", all)
        report.add(name + "most memory so far, mapped files included", "MB", [ProcessFigures.megabytes("VmHWM")])
        report.add(name + "the same without mapped files", "MB", [ProcessFigures.megabytes("RssAnon")])
        report.addRatio(name + "replay : scan", of: name + "replay to digest", to: name + "raw LMDB cursor scan")
        report.add(name + "one card in the past, with snapshots and an index", "ms", try askAboutThePast(data, events))
        report.add(name + "one card in the past, with snapshots alone", "ms", try askAboutThePast(data, events, usingIndex: false))
        try FileManager.default.removeItem(atPath: data.path)
    }

    private static func town(_ events: Int) -> String { "town of \(events) events: " }

    /// Milliseconds of each query about the past, which opens the log and the models again, as a tool does.
    private func askAboutThePast(_ data: DataFolder, _ events: Int, usingIndex: Bool = true) throws -> [Double] {
        let folder = try AuditedFolder(data.path)
        let every = min(SnapshotKeeping.everyDefault, UInt64(max(1, events / 4)))
        _ = try SnapshotKeeping(of: folder, log: try folder.log(.readOnly)).make(every: every)
        let cards = GeneratedTown.cards(of: events)
        return try (0..<Self.questions).map { number in
            // Cards are from the first half and positions from the second, so that each card exists at its position.
            let card = GeneratedTown.card(cards * (number + 1) / (2 * Self.questions))
            let position = Position(UInt64(events) * (Self.questions + number) / (2 * Self.questions))
            return 1_000
                * (try blockingSeconds {
                    let travel = Travel(in: folder, log: try folder.log(.readOnly, inspecting: .ifQuick), usingIndex: usingIndex)
                    let answer = try travel.answer(.card(card), at: try travel.moment(.position(position)))
                    guard answer.isFound else { throw BenchError.unexpected }
                })
        }
    }

    private func draw(_ report: Report) -> String {
        let series = Self.drawn.map { name in
            LineChart.Series(
                name,
                sizes.townEvents.compactMap { events in
                    report.median(of: Self.town(events) + name).map { LineChart.Point(x: Double(events), y: $0) }
                })
        }
        let labels = ChartLabels(
            title: "Throughput against the size of the log",
            description: "Events a second of replay and rebuilds, medians of \(sizes.rounds) rounds, for logs of several sizes.",
            x: "events in the log", y: "events a second")
        return LineChart(labels, series, x: .logarithmic).svg()
    }

    /// Rebuilds like `greentea-rebuild --no-check`, until the new generations are in use.
    private func rebuild(_ data: DataFolder, _ models: [any Projection.Type]) throws {
        var options = RebuildOptions()
        (options.checks, options.keepsOld) = (false, false)
        for outcome in Rebuild(data, log: try data.log(.readOnly), options: options).all(.build, of: models) { _ = try outcome.get() }
    }
}
