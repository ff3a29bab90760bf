import ArgumentParser
import Console
import Foundation
import LoyaltyCodec

/// `greentea-bench`: measures the speed of the service and of its log. Most figures are compared with a baseline in the same run.
@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea-bench", abstract: "Measure stamps, appends and replay beside their baselines; print ratios.",
        discussion: """
            Absolute figures depend on the machine and its neighbours; the ratios within one run are what counts. Each row is the \
            median of the rounds, with the lowest and the highest.

              greentea-bench                       the whole table, some minutes
              greentea-bench --small               everything once, tiny, so that it cannot rot; its figures mean nothing
              greentea-bench --umadb PATH          beside UmaDB too: PATH is the umadb executable of its Python wheel
            """,
        version: ProductVersion.text)

    @Flag(name: .long, help: "Tiny sizes, one round: proves that the benchmark works, measures nothing.")
    var small = false

    @Option(name: .long, help: "Rounds of each measurement.")
    var rounds: Int?

    @Option(
        name: .long,
        help: "Only these parts: commands, http, pages, beside, log, replay, scale, verify, index, search, night; with --etcd cluster too.")
    var part: [Part] = Part.allCases

    @Option(name: .long, help: "Concurrent callers of the in-process rows, instead of 1, 64 and 1024.")
    var callers: [Int] = []

    @Option(name: .long, help: "Events of the index's, the verification's and the towns' rows; a row for each number.")
    var events: [Int] = []

    @Option(name: .long, help: "Cards that expire in the row of the night.")
    var cards: Int?

    @Option(name: .long, help: "Writers x events an append of the rows of the log itself, such as 64x512, instead of five of them.")
    var appends: [AppendShape] = []

    @Option(name: .long, help: "Seconds of each measurement of the log itself, and of load over HTTP.")
    var seconds: Double?

    @Option(name: .long, help: "The folder whose disk is measured; a folder of its own is made there. Default: the temporary one.")
    var folder: String?

    @Option(name: .long, help: "The umadb executable of the umadb wheel, to measure beside.")
    var umadb: String?

    @Option(
        name: .long,
        help: "Addresses of etcd's members, with commas, for the rows of a cluster; Tools/cluster starts three and sets $ETCD to them.")
    var etcd: String?

    @Option(name: .long, help: "A file for a picture of the towns' rows: throughput against the size of the log, as SVG.")
    var svg: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Write the log of a town of --events events into this data folder, and measure nothing.", valueName: "folder"))
    var town: String?

    @Flag(name: .long, help: "Serve the durable echo on a free port until the program is ended, and measure nothing.")
    var echo = false

    @Flag(name: .long, help: "One JSON object instead of the table.")
    var json = false

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case commands, http, pages, beside, log, replay, scale, verify, index, search, night, cluster
    }

    func validate() throws {
        for (name, values) in [
            ("--rounds", rounds.map { [$0] } ?? []), ("--callers", callers), ("--events", events), ("--cards", cards.map { [$0] } ?? []),
        ] {
            if let bad = values.first(where: { $0 < 1 }) { throw ValidationError("\(name): \(bad) is none; give at least 1.") }
        }
        if let town, FileManager.default.fileExists(atPath: DataFolder(town).log) {
            throw ValidationError("--town: \(town) has a log already; name a folder without one.")
        }
        if let seconds, !(seconds > 0) { throw ValidationError("--seconds must be more than 0.") }
    }

    func run() async throws {
        if let town {
            return try GeneratedTown(events: events.first ?? Sizes.full.townEvents[0], in: DataFolder(town)).write()
        }
        if echo { return try await EchoServer.serveDurably(in: folder ?? FileManager.default.temporaryDirectory.path) }
        var sizes = small ? Sizes.small : Sizes.full
        if let rounds { sizes.rounds = rounds }
        if !callers.isEmpty { sizes.callers = callers }
        if !events.isEmpty { (sizes.indexedEvents, sizes.verifiedEvents, sizes.townEvents) = (events, events, events) }
        if !appends.isEmpty { sizes.shapes = appends }
        if let cards { sizes.expiringCards = cards }
        if let seconds { (sizes.logSeconds, sizes.httpSeconds, sizes.nightSeconds) = (seconds, max(1, Int(seconds)), max(3, Int(seconds))) }
        let disk = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let folder = disk.appendingPathComponent("greentea-bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var report = Report()
        // Measuring took time, so the figures before a failure are printed too.
        defer { print(json ? report.json : report.text, terminator: "") }
        if part.contains(.commands) { try await CommandBench(sizes: sizes, folder: folder, umadb: umadb).run(into: &report) }
        if part.contains(.http) { try await HTTPBench(sizes: sizes, folder: folder).run(into: &report) }
        if part.contains(.pages) { try await PageBench(sizes: sizes, folder: folder).run(into: &report) }
        if part.contains(.beside) { try await BesideBench(sizes: sizes, folder: folder).run(into: &report) }
        if part.contains(.log) { try await LogBench(sizes: sizes, folder: folder).run(into: &report) }
        if part.contains(.replay) { try ReplayBench(sizes: sizes, folder: folder).run(into: &report) }
        if part.contains(.scale) { try ScaleBench(sizes: sizes, folder: folder, umadb: umadb, picture: svg).run(into: &report) }
        if part.contains(.verify) { try VerifyBench(sizes: sizes, folder: folder).run(into: &report) }
        if part.contains(.index) { try IndexBench(events: sizes.indexedEvents, folder: folder + "/index").run(into: &report) }
        if part.contains(.night) { try await NightBench(sizes: sizes, folder: folder).run(into: &report) }
        if part.contains(.cluster), let etcd { try await ClusterBench(sizes: sizes, folder: folder, etcd: etcd).run(into: &report) }
        if part.contains(.search) { try await SearchBench(shops: sizes.searchedShops, folder: folder).run(into: &report) }
    }
}

struct Sizes {
    /// The index, searches and the expiry of cards are measured once.
    var rounds: Int
    /// Concurrent callers, one row for each.
    var callers: [Int]
    /// The maximum of durable stamps in a row's round; a tenth for one caller.
    var stamps: Int
    /// Connections of the HTTP load, one row for each.
    var connections: [Int]
    /// Seconds of load in a row's round.
    var httpSeconds: Int
    /// Codes issued in advance for each second of HTTP load.
    var codesPerSecond: Int
    var replayedEvents: Int
    /// Events of the generated towns that are replayed and rebuilt.
    var townEvents: [Int]
    var rebuiltEvents: Int
    var verifiedEvents: [Int]
    var indexedEvents: [Int]
    /// Numbers of shops to search among, one row for each.
    var searchedShops: [Int]
    /// Writers and events per append, one row for each.
    var shapes: [AppendShape]
    /// Seconds of appends in a row's round. Reads last half as long.
    var logSeconds: Double
    /// Shapes and stamps of the rows of a cluster.
    let clusterShapes = [AppendShape(1, 1), .init(64, 1), .init(64, 8), .init(64, 64)]
    var clusterStamps: Int

    var expiringCards: Int
    /// Stamps per second: about half of the maximum over HTTP on the reference machine.
    let nightRate = 1_600
    /// Seconds of stamps before and again during the expiry. The scheduler looks for due events once a second.
    var nightSeconds: Int

    static let full = Sizes(
        rounds: 3, callers: [1, 64, 1_024], stamps: 60_000, connections: [64, 256], httpSeconds: 3, codesPerSecond: 25_000,
        replayedEvents: 1_000_000, townEvents: [100_000, 1_000_000, 10_000_000], rebuiltEvents: 1_000_000,
        verifiedEvents: [1_000_000], indexedEvents: [1_000_000], searchedShops: [100_000],
        shapes: [.init(1, 1), .init(64, 1), .init(128, 1), .init(64, 64), .init(64, 512)], logSeconds: 2, clusterStamps: 20_000,
        expiringCards: 1_000_000, nightSeconds: 60)
    static let small = Sizes(
        rounds: 1, callers: [1, 16], stamps: 500, connections: [8], httpSeconds: 1, codesPerSecond: 8_000, replayedEvents: 5_000,
        townEvents: [20_000], rebuiltEvents: 20_000, verifiedEvents: [5_000], indexedEvents: [20_000], searchedShops: [200],
        shapes: [.init(1, 1), .init(8, 64)], logSeconds: 0.1, clusterStamps: 200, expiringCards: 2_000, nightSeconds: 3)
}
