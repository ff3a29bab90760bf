import ArgumentParser
import Foundation
import LoadGenerator
import NIOPosix
import TerminalProgress

/// `greentea-load`
@main
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea-load",
        abstract: "A tea town on a running server: realistic traffic, every answer checked.",
        discussion: """
            Opens accounts and shops over HTTP, then lets people browse and search (60 %), read cards (20 %), enter codes (12 %), issue
            them (6 %), redeem and review (2 %). Books kept on this side say what every card, code and rating must be; each answer is held
            to them while it runs, and everything once more at the end. Exits 1 where a rule was violated.

            Without --url it starts a server of its own, `greentea serve --dev`, on a temporary folder. With neither --rate nor --week it
            asks as fast as it is answered. --rate asks evenly; --week compresses a week into so many seconds, with a peak hour of five
            times its day's mean and a weekend of twice a Monday. Times begin when a request was due, so that waiting in line counts.
            """)

    @Option(name: .long, help: "A server that runs with --dev, such as http://127.0.0.1:8080.")
    var url: String?

    @Option(name: .long, help: "The greentea executable for a server of its own; the one beside this program where it is absent.")
    var greentea: String?

    @Option(name: .long, help: "Seconds of the mix.")
    var seconds = 20.0

    @Option(name: .long, help: "Requests a second; on the mean, with --week.")
    var rate: Double?

    @Option(name: .long, help: "Seconds that a week takes.")
    var week: Double?

    @Option(name: .long, help: "Customers.")
    var accounts = 500

    @Option(name: .long, help: "Shops, each with a campaign.")
    var shops = 20

    @Option(name: .long, help: "Connections.")
    var connections = 64

    @Option(name: .long, help: "Of an earlier run, for the same people and acts.")
    var seed: UInt64?

    @Flag(name: .long, help: "One JSON object in place of the table.")
    var json = false

    func validate() throws {
        guard seconds > 0, rate ?? 1 > 0, week ?? 1 > 0 else { throw ValidationError("--seconds, --rate and --week must be more than 0") }
        guard week == nil || rate != nil else { throw ValidationError("--week needs --rate, its mean") }
        guard accounts > 0, shops > 0, connections > 0, accounts + shops < 1_000_000 else {
            throw ValidationError("--accounts, --shops and --connections must be more than 0, people fewer than 1,000,000")
        }
        guard url.map({ ServerAddress(url: $0) != nil }) ?? true else { throw ValidationError("--url must be http://HOST:PORT") }
    }

    func run() async throws {
        let server = try url == nil ? OwnServer(executable: greentea ?? Self.neighbour) : nil
        defer { server?.stop() }
        guard let address = server?.address ?? url.flatMap({ ServerAddress(url: $0) }) else { throw ExitCode(2) }
        let plan = LoadPlan(
            accounts: accounts, shops: shops, lanes: connections, pace: pace, seconds: seconds, seed: seed ?? .random(in: 0...999_999_999))
        let report = try await LoadRun(plan, against: address, on: MultiThreadedEventLoopGroup.singleton).run(Bars(plan).show)
        print(json ? try report.json : report.text)
        if let memory = server?.residentBytes, !json { print("the server held \(memory / 1_048_576) MB") }
        if report.violations > 0 { throw ExitCode(1) }
    }

    private var pace: Pace {
        guard let rate else { return .flatOut }
        return week.map { .week(meanPerSecond: rate, seconds: $0) } ?? .steady(perSecond: rate)
    }

    /// `greentea` in this program's folder.
    private static var neighbour: String {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "greentea").path
    }
}
