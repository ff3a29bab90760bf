import Foundation
public import NIOCore
import NIOPosix

/// Measures the time from a stamp to its event on many live streams. First finds the peak rate with all streams open, then times events at
/// half of it.
public struct StreamRun: Sendable {
    private let address: ServerAddress
    private let plan: StreamPlan
    private let group: any EventLoopGroup
    private let measurements = Measurements()
    private let board: StampBoard

    public init(_ plan: StreamPlan, against address: ServerAddress, on group: any EventLoopGroup) {
        (self.plan, self.address, self.group) = (plan, address, group)
        board = StampBoard(accounts: plan.accounts)
    }

    /// - Parameters:
    ///   - memory: the server's resident memory in bytes; nil if unknown.
    ///   - progress: called with a line before each part.
    public func run(memory: @Sendable () -> Int?, progress: @Sendable (String) -> Void) async throws -> StreamReport {
        let prefix = Int.random(in: 1_000_000...9_999_999)
        let callers = (0..<plan.lanes).map { Caller(address, from: Self.source($0), on: group, into: measurements) }
        progress("signing in \(plan.accounts) accounts")
        let folk = callers.map { Townsfolk(caller: $0, prefix: prefix, codes: nil) }
        var shops: [TownShop] = []
        for number in 0..<plan.shops { shops.append(try await folk[0].openShop(number)) }
        let tokens = try await tokens(folk)
        // The server gets time to release the memory of sign-ins.
        try await Task.sleep(for: .seconds(StreamPlan.restSeconds))
        let before = memory()
        progress("opening \(plan.streams) streams")
        let begin = ContinuousClock.now
        let channels = try await open(tokens)
        let opening = (ContinuousClock.now - begin) / .seconds(1)
        try await Task.sleep(for: .seconds(StreamPlan.restSeconds))
        let after = memory()
        progress("stamps as fast as they are answered")
        let peak = try await stamps(folk, tokens, shops, .flatOut, seconds: plan.peakSeconds)
        _ = board.take()
        progress("\(Int(peak / 2)) stamps a second for \(Int(plan.seconds)) s")
        let rate = try await stamps(folk, tokens, shops, .steady(perSecond: peak / 2), seconds: plan.seconds)
        let (times, missed, lost) = board.take()
        let loaded = memory()
        for channel in channels { channel.close(promise: nil) }
        for caller in callers { await caller.close() }
        return StreamReport(
            streams: channels.count, accounts: plan.accounts, openingSeconds: opening,
            bytesAStream: before.flatMap { before in after.map { max(0, $0 - before) / channels.count } }, loadedBytes: loaded, peak: peak,
            rate: rate, events: times.count, missed: missed, lost: lost, p50: Self.percentile(times, 0.5),
            p99: Self.percentile(times, 0.99), slowest: times.last ?? 0)
    }

    private static func percentile(_ sorted: [UInt64], _ part: Double) -> UInt64 {
        sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    /// A source address as of another customer's phone; nearly every number has its own.
    private static func source(_ number: Int) -> String { "127.\(1 + number / 65_025).\(number / 255 % 255).\(1 + number % 255 % 254)" }

    private func tokens(_ folk: [Townsfolk]) async throws -> [String] {
        try await inLanes { lane in
            var tokens: [(Int, String)] = []
            for account in stride(from: lane, to: plan.accounts, by: plan.lanes) {
                tokens.append((account, try await folk[lane].signIn(folk[lane].phone(plan.shops + account))))
            }
            return tokens
        }
    }

    private func open(_ tokens: [String]) async throws -> [any Channel] {
        try await inLanes { lane in
            var opened: [(Int, any Channel)] = []
            for stream in stride(from: lane, to: plan.streams, by: plan.lanes) {
                let account = stream / StreamPlan.streamsAnAccount
                let channel = try await StreamReader.open(
                    address, from: Self.source(account), token: tokens[account], account: account, number: stream, board, on: group)
                opened.append((stream, channel))
            }
            return opened
        }
    }

    /// Requests stamps in all lanes, then waits for the events, at most ``StreamPlan/looks`` tenths of a second.
    ///
    /// - Returns: stamps per second.
    private func stamps(
        _ folk: [Townsfolk], _ tokens: [String], _ shops: [TownShop], _ pace: Pace, seconds: Double
    ) async throws -> Double {
        let schedule = Schedule(pace, begin: .now)
        let begin = ContinuousClock.now
        let end = begin + .seconds(seconds)
        let given = try await inLanes { lane in
            var given = 0
            // A lane that begins late sends one request, so that a rate is never 0.
            while given == 0 || ContinuousClock.now < end {
                if let due = schedule.next() {
                    guard due < end else { break }
                    try await Task.sleep(until: due)
                }
                // Separate accounts for each lane, so that none has two stamps in progress.
                let own = (plan.accounts - lane + plan.lanes - 1) / plan.lanes
                let account = lane + (given % max(1, own)) * plan.lanes
                try await stamp(account, at: shops[(lane + given) % shops.count], tokens[account], folk[lane].caller)
                given += 1
            }
            return [(lane, given)]
        }
        let took = (ContinuousClock.now - begin) / .seconds(1)
        for _ in 0..<StreamPlan.looks where board.waiting > 0 { try await Task.sleep(for: .milliseconds(100)) }
        return Double(given.reduce(0, +)) / took
    }

    private func stamp(_ account: Int, at shop: TownShop, _ token: String, _ caller: Caller) async throws {
        let issued = try await caller.send(
            Ask(
                .post, "/v1/campaigns/\(shop.campaign)/codes", route: "POST /v1/campaigns/{id}/codes", token: shop.owner,
                key: UUID().uuidString))
        guard issued.status == 201 else {
            throw LoadError.unexpected(request: "codes", status: issued.status, body: String(decoding: issued.body, as: UTF8.self))
        }
        let code: CodeBody = try issued.read()
        let first = account * StreamPlan.streamsAnAccount
        board.begin(account, streams: first..<min(plan.streams, first + StreamPlan.streamsAnAccount))
        let answer = try await caller.send(
            Ask(.post, "/v1/stamps", token: token, key: UUID().uuidString, body: #"{"code":"\#(code.code)"}"#))
        guard answer.status == 201 else {
            board.cancel(account)
            throw LoadError.unexpected(request: "stamp", status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
        }
        if let position = answer.position { board.answered(account, at: position) }
    }

    /// All results in the order of their numbers.
    private func inLanes<Output: Sendable>(_ work: @escaping @Sendable (Int) async throws -> [(Int, Output)]) async throws -> [Output] {
        try await withThrowingTaskGroup(of: [(Int, Output)].self) { group in
            for lane in 0..<plan.lanes { group.addTask { try await work(lane) } }
            return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

/// The parameters of a run with streams.
public struct StreamPlan: Sendable {
    /// The most that the service permits.
    static let streamsAnAccount = 8
    /// Seconds before the idle server's memory is read.
    static let restSeconds = 3.0
    /// Tenths of a second for late events.
    static let looks = 50

    public let streams: Int
    public let shops: Int
    /// Connections that request stamps.
    public let lanes: Int
    public let peakSeconds: Double
    public let seconds: Double

    public init(streams: Int, shops: Int = 20, lanes: Int = 64, peakSeconds: Double = 5, seconds: Double = 20) {
        (self.streams, self.shops, self.lanes) = (streams, shops, min(lanes, Self.accounts(for: streams)))
        (self.peakSeconds, self.seconds) = (peakSeconds, seconds)
    }

    var accounts: Int { Self.accounts(for: streams) }
    private static func accounts(for streams: Int) -> Int { (streams + streamsAnAccount - 1) / streamsAnAccount }

    /// For this program; the server needs as many.
    public var descriptors: Int { streams + lanes + 512 }
}

/// The result of a run with streams.
public struct StreamReport: Sendable, Encodable {
    public let streams: Int
    public let accounts: Int
    public let openingSeconds: Double
    /// Resident memory per opened stream; nil if unknown.
    public let bytesAStream: Int?
    /// Resident memory at the end; nil if unknown.
    public let loadedBytes: Int?
    /// Stamps per second, as fast as answered.
    public let peak: Double
    /// Stamps per second while events were timed.
    public let rate: Double
    public let events: Int
    /// Not before the account's next stamp, or the end.
    public let missed: Int
    /// Not closed by this program.
    public let lost: Int
    /// Microseconds from the request to the event.
    public let p50: UInt64
    public let p99: UInt64
    public let slowest: UInt64

    public var text: String {
        func milliseconds(_ microseconds: UInt64) -> String { String(format: "%.1f ms", Double(microseconds) / 1_000) }
        var lines = [
            "\(streams) streams of \(accounts) accounts, opened in \(String(format: "%.1f", openingSeconds)) s; \(lost) ended by themselves"
        ]
        if let bytesAStream, let loadedBytes {
            lines.append("\(bytesAStream) bytes of the server's memory a stream; \(loadedBytes / 1_048_576) MB at the end")
        }
        lines.append("stamps, each a code that is issued and entered: \(Int(peak)) a second at the peak, \(Int(rate)) a second while timed")
        lines.append(
            "from a stamp to its event on a stream: median \(milliseconds(p50)), p99 \(milliseconds(p99)), "
                + "slowest \(milliseconds(slowest)); \(events) events, \(missed) missed")
        return lines.joined(separator: "\n")
    }

    public var json: String { get throws { try prettyJSON(self) } }
}
