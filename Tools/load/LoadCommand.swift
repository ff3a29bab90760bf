import ArgumentParser
import Console
import Foundation
import LoadGenerator
import NIOPosix

/// `greentea-load`: generates load on a server and checks its answers.
@main
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea-load", abstract: "A tea town on a running server: realistic traffic, every answer checked.",
        discussion: """
            Opens accounts and shops over HTTP, then lets people browse and search (58 %), read cards (20 %), enter codes (12 %), \
            issue them (6 %), stamp and take cards on paper (2 %), redeem and review (2 %). Every third shop has a branch of the same \
            owner, and one campaign for both. Books kept on this side say what every card, code, paper, rating and shop's statistics \
            must be; each answer is held to them while it runs, and everything once more at the end.

            Without --url it starts a server of its own, `greentea serve --dev`, on a temporary folder. With neither --rate nor \
            --week it asks as fast as it is answered. --rate asks evenly; --week compresses a week into so many seconds, with a \
            peak hour of five times its day's mean and a weekend of twice a Monday. Times begin when a request was due, so that \
            waiting in line counts.

            EXAMPLES
              As fast as it goes, on a server of its own:
                greentea-load --seconds 20
              A steady rate, against a server that runs, as JSON:
                greentea-load --url http://127.0.0.1:8080 --rate 500 --seconds 60 --json
              A week in ten minutes:
                greentea-load --week 600 --seconds 600 --rate 300
              Ten thousand live streams, and how long after a stamp they tell of it:
                greentea-load --streams 10000
              Keep every accepted answer, and hold another server on the same data, or on its backup, to them within 15 minutes:
                greentea-load --url http://127.0.0.1:8080 --record answers.jsonl
                greentea-load --url http://127.0.0.1:8081 --check answers.jsonl

            --check counts as different what is meant to be: the answers to accounts that were erased since the record was made, and, if \
            the servers have no --public-url, answers with links, because a link then begins with the server's own port. So give both \
            servers one --public-url, and record anew after an erasure.

            EXIT CODES
              0   every answer was as the books say
              1   a rule was violated, or an answer of --check is another one; the report
                  names the first ones
              2   it could not be done: no server, nobody answers, one without --dev; the
                  error names the remedy. Or the server stopped answering and did not come
                  back within --wait; the table has what was measured until then
              64  wrong use
              130, 143  somebody asked for the end; the server of its own and its folder
                        are gone
            """,
        version: ProductVersion.text)

    @Option(name: .long, help: "A server that runs with --dev, such as http://127.0.0.1:8080; any other with --codes.")
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

    @Option(name: .long, help: ArgumentHelp("Keep accepted requests and their answers here, one JSON object a line.", valueName: "file"))
    var record: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Send the requests of such a file again, and expect the same answers; nothing else is done.", valueName: "file"))
    var check: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Where a server without --dev writes its sign-in codes: the file of its --sms file:.", valueName: "file"))
    var codes: String?

    @Flag(
        name: .long,
        help: "Each connection from an address of its own in 127.0.0.0/8, for a server on this machine that limits each address.")
    var ownAddresses = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only open so many live streams, and time events on them while stamps are given at half the peak.", valueName: "number"))
    var streams: Int?

    @Option(name: .long, help: ArgumentHelp("Wait so long for a server that stops answering, as while it restarts.", valueName: "seconds"))
    var wait = Limits.outageSecondsMax

    @Flag(name: .long, help: "One JSON object in place of the table.")
    var json = false

    func validate() throws {
        guard seconds > 0, rate ?? 1 > 0, week ?? 1 > 0 else { throw ValidationError("--seconds, --rate and --week must be more than 0") }
        guard (0...86_400).contains(wait) else { throw ValidationError("--wait must be 0 to 86400 seconds") }
        guard week == nil || rate != nil else { throw ValidationError("--week needs --rate, its mean") }
        guard accounts > 0, shops > 0, connections > 0, accounts + shops < 1_000_000 else {
            throw ValidationError("--accounts, --shops and --connections must be more than 0, people fewer than 1,000,000")
        }
        guard check == nil || url != nil && record == nil else { throw ValidationError("--check needs --url, and no --record") }
        guard codes == nil || url != nil else { throw ValidationError("--codes needs --url: a server of its own runs with --dev") }
        guard !ownAddresses || connections <= 65_536 else { throw ValidationError("--own-addresses: at most 65,536 connections") }
        guard streams.map({ (1...1_000_000).contains($0) }) ?? true, streams == nil || check == nil && record == nil else {
            throw ValidationError("--streams must be more than 0, and goes with neither --check nor --record")
        }
        guard url.map({ ServerAddress(url: $0) != nil }) ?? true else { throw ValidationError("--url must be http://HOST:PORT") }
    }

    func run() async throws {
        StandardStreams.prepare()
        do { try await load() } catch let error as ExitCode {
            throw error
        } catch {
            StandardError.write("greentea-load: \(error)")
            throw ExitCode(2)
        }
    }

    private func load() async throws {
        if let url, let address = ServerAddress(url: url) {
            if let check { return try await hold(address, to: check) }
            if let streams { return try await StreamLoad(count: streams, seconds: seconds, json: json).run(address, on: nil) }
            return try await load(address, on: nil)
        }
        let server = try OwnServer(executable: greentea ?? Self.neighbour)
        let interruption = Interruption(endsWithTerminal: true) { _ in server.stop() }
        defer {
            server.stop()
            withExtendedLifetime(interruption) { Interruption.waitIfUnderWay() }
        }
        if let streams {
            let load = StreamLoad(count: streams, seconds: seconds, json: json)
            try load.requireDescriptors()
            return try await load.run(try server.start(), on: server)
        }
        try await load(try server.start(), on: server)
    }

    private func load(_ address: ServerAddress, on server: OwnServer?) async throws {
        var plan = LoadPlan(
            accounts: accounts, shops: shops, lanes: connections, pace: pace, seconds: seconds, seed: seed ?? .random(in: 0...999_999_999))
        (plan.codes, plan.hasOwnAddresses, plan.outageSeconds) = (codes, ownAddresses, wait)
        let record = try record.map { try AnswerRecord(path: $0) }
        let run = LoadRun(plan, against: address, on: MultiThreadedEventLoopGroup.singleton, record: record)
        let report: LoadReport
        do { report = try await run.run(Bars(plan).show, notice: { Self.notice($0, of: server) }) } catch {
            throw LoadCommandError(error, at: "\(address.host):\(address.port)")
        }
        try StandardOutput.say(json ? try report.json : report.text)
        if let memory = server?.residentBytes, !json { try StandardOutput.say("the server held \(memory / 1_048_576) MB") }
        if report.violations > 0 { throw ExitCode(1) }
        if report.stop != nil { throw ExitCode(2) }
    }

    /// Writes a line about the run on standard error, below a progress bar if there is one.
    private static func notice(_ line: String, of server: OwnServer?) {
        // If this program has stopped its own server, for example after a signal, the run fails for this reason, so its errors are not
        // reported.
        guard server?.isStopped != true else { return }
        StandardError.write((isatty(STDERR_FILENO) == 1 ? "\n" : "") + "greentea-load: \(line)")
    }

    private func hold(_ address: ServerAddress, to path: String) async throws {
        let check = try AnswerCheck(path: path)
        let differences: [String]
        do { differences = try await check.run(against: address, on: MultiThreadedEventLoopGroup.singleton) } catch {
            throw LoadCommandError(error, at: "\(address.host):\(address.port)")
        }
        try StandardOutput.say("answers \(check.count)  different \(differences.count)")
        try StandardOutput.say(Array(differences.prefix(10)))
        if !differences.isEmpty { throw ExitCode(1) }
    }

    private var pace: Pace {
        guard let rate else { return .flatOut }
        return week.map { .week(meanPerSecond: rate, seconds: $0) } ?? .steady(perSecond: rate)
    }

    /// The path of `greentea` in the folder of this program's executable, however this program was started.
    private static var neighbour: String {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = link.map { URL(filePath: $0) } ?? Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        return program.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "greentea").path
    }
}

/// A progress bar for each part of a run.
struct Bars: Sendable {
    private let opening: ProgressBar
    private let mixing: ProgressBar
    private let checking: ProgressBar

    init(_ plan: LoadPlan) {
        opening = ProgressBar(label: "open", total: 2 * (plan.accounts + plan.shops) + 2 * plan.shops + plan.shops / 3, unit: "answers")
        mixing = ProgressBar(label: "load", total: 0, unit: "answers")
        checking = ProgressBar(label: "check", total: 0, unit: "answers")
    }

    @Sendable func show(_ part: LoadRun.Part, _ answers: Int) {
        switch part {
        case .opening: opening.advance(to: answers)
        case .mixing:
            opening.finish()
            mixing.advance(to: answers)
        case .checking:
            mixing.finish()
            checking.advance(to: answers)
        }
    }
}

/// The reason why a run could not begin or be completed, with the remedy.
enum LoadCommandError: Error, CustomStringConvertible {
    case noServer(String)
    case notStarted(String)
    case unreachable(String)
    case fewDescriptors(wanted: Int, limit: Int)
    case broken(address: String, reason: String)

    /// Wraps an error that a run against the server at `address` threw.
    init(_ error: any Error, at address: String) {
        self = error is NIOConnectionError ? .unreachable(address) : .broken(address: address, reason: "\(error)")
    }

    var description: String {
        switch self {
        case .noServer(let path): "there is no \(path): build it, name it with --greentea, or name a running server with --url."
        case .notStarted(let path): "the server did not start; try `\(path) serve --dev --data FOLDER` by hand."
        case .fewDescriptors(let wanted, let limit):
            "so many streams need \(wanted) open files in this program and as many in the server, and the limit is \(limit): "
                + "ulimit -n \(wanted) (LimitNOFILE= of a unit); the server itself takes 10,000 streams, 8 of an account."
        case .unreachable(let address):
            "nobody answers at \(address): start `greentea serve --dev` there, name another with --url, or leave --url out for a server of "
                + "this program's own."
        case .broken(let address, let reason):
            "the run against \(address) could not be completed: \(reason). Look at the server's log; nothing was found out about its rules."
        }
    }
}
