import Foundation
public import NIOCore
import NIOPosix

/// Creates accounts and shops over HTTP, runs the mix of requests, and compares the server's state with the expected one. The server shows
/// sign-in codes (`--dev`), or writes them to a file (``LoadPlan/codes``). Each customer belongs to one lane, which knows the expected
/// cards after each answer.
public struct LoadRun: Sendable {
    private let address: ServerAddress
    private let plan: LoadPlan
    private let group: any EventLoopGroup
    private let measurements = Measurements()
    private let record: AnswerRecord?

    /// - Parameter record: the file for accepted requests.
    public init(_ plan: LoadPlan, against address: ServerAddress, on group: any EventLoopGroup, record: AnswerRecord? = nil) {
        (self.plan, self.address, self.group, self.record) = (plan, address, group, record)
    }

    /// Runs the load. An error after the mix has begun still gives a report, with ``LoadReport/stop``.
    ///
    /// - Parameters:
    ///   - progress: called with the part and the number of answers, which restarts at 0 after the first part.
    ///   - notice: called with a line when the server becomes unreachable, and when it answers again.
    /// - Throws: the error that ended the preparation.
    public func run(
        _ progress: @escaping @Sendable (Part, Int) -> Void = { _, _ in }, notice: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> LoadReport {
        let ledgers = Ledgers(measurements)
        let callers = (0..<plan.lanes).map {
            Caller(address, from: plan.address(of: $0), on: group, into: measurements, record: record, outageSeconds: plan.outageSeconds)
        }
        let outages = Task { try await report(outages: notice) }
        defer { outages.cancel() }
        let opened = try await watched(.opening, progress) { try await open(callers, ledgers) }
        try await callers.first?.catchUp()
        measurements.restart()
        let begin = ContinuousClock.now
        var (lanes, failure) = try await watched(.mixing, progress) { await mix(opened, from: begin) }
        let seconds = failure == nil ? (ContinuousClock.now - begin) / .seconds(1) : measurements.secondsAnswered(since: begin)
        let figures = measurements.figures
        if failure == nil {
            do {
                try await callers.first?.catchUp()
                lanes = try await watched(.checking, progress) { [lanes] in try await check(lanes) }
            } catch { failure = error }
        }
        let stop = failure.map { LoadReport.Stop(second: measurements.secondsAnswered(since: begin), reason: "\($0)") }
        for caller in callers { await caller.close() }
        return report(lanes, ledgers, figures, seconds, stop)
    }

    /// A part of a run, for messages about progress.
    public enum Part: String, Sendable {
        case opening, mixing, checking
    }

    /// Until the task is cancelled.
    private func report(outages notice: @Sendable (String) -> Void) async throws {
        var since: ContinuousClock.Instant?
        var told: Int64 = 0
        while true {
            try await Task.sleep(for: .milliseconds(Limits.outageLookMilliseconds))
            let seconds = since.map { (ContinuousClock.now - $0).components.seconds } ?? 0
            switch (since, measurements.isServerAway) {
            case (nil, true):
                (since, told) = (.now, 0)
                notice("the server does not answer; it is asked again for at most \(plan.outageSeconds) s")
            case (.some, true) where seconds >= told + Limits.outageNoticeSeconds:
                told = seconds
                notice("no answer for \(seconds) of \(plan.outageSeconds) s")
            case (.some, false):
                since = nil
                notice("the wait for the server is over, after \(seconds) s")
            default: break
            }
        }
    }

    // MARK: Parts of a run

    private func open(_ callers: [Caller], _ ledgers: Ledgers) async throws -> [Lane] {
        var chance = Chance(seed: plan.seed)
        // New phone numbers for each run, because an earlier one with the same seed may have used the same data.
        let prefix = Int.random(in: 1_000_000...9_999_999)
        let plan = plan
        let codes = plan.codes.map(SignInCodes.init)
        let shops = try await inLanes(callers) { number, caller -> [TownShop] in
            let folk = Townsfolk(caller: caller, prefix: prefix, codes: codes)
            var shops: [TownShop] = []
            for shop in stride(from: number, to: plan.shops, by: plan.lanes) {
                shops.append(try await folk.openShop(shop, hasBranch: shop % Limits.shopsPerBranch == 0))
            }
            return shops
        }.flatMap { $0 }
        for (number, shop) in shops.enumerated() { ledgers.papers.printed(shop.papers, of: number) }
        let seeds = callers.map { _ in chance.next() }
        return try await inLanes(callers) { number, caller in
            let folk = Townsfolk(caller: caller, prefix: prefix, codes: codes)
            var customers: [Customer] = []
            for customer in stride(from: number, to: plan.accounts, by: plan.lanes) {
                let phone = folk.phone(plan.shops + customer)
                customers.append(Customer(number: customer, phone: phone, token: try await folk.signIn(phone)))
            }
            return Lane(
                caller: caller, folk: folk, shops: shops, ledgers: ledgers, customers: customers, chance: Chance(seed: seeds[number]))
        }
    }

    /// The first error in any lane ends all others.
    ///
    /// - Returns: the lanes at the end, and the first error.
    private func mix(_ lanes: [Lane], from begin: ContinuousClock.Instant) async -> (lanes: [Lane], failure: (any Error)?) {
        let schedule = Schedule(plan.pace, begin: begin)
        let end = begin + .seconds(plan.seconds)
        return await withTaskGroup(of: (Int, Lane, (any Error)?).self) { group in
            for (number, lane) in lanes.enumerated() {
                group.addTask {
                    var lane = lane
                    do { try await lane.run(schedule, until: end) } catch { return (number, lane, error) }
                    return (number, lane, nil)
                }
            }
            var (ended, failure): ([(Int, Lane)], (any Error)?) = ([], nil)
            for await (number, lane, error) in group {
                ended.append((number, lane))
                guard let error, failure == nil else { continue }
                failure = error
                group.cancelAll()
            }
            return (ended.sorted { $0.0 < $1.0 }.map(\.1), failure)
        }
    }

    private func check(_ lanes: [Lane]) async throws -> [Lane] {
        let count = lanes.count
        return try await inLanes(lanes) { number, lane in
            var lane = lane
            try await lane.checkCards(Limits.cardsCheckedMax / count)
            let shops = Array(stride(from: number, to: lane.shops.count, by: count))
            try await lane.checkRatings(of: shops)
            try await lane.checkStatistics(of: shops)
            return lane
        }
    }

    private func report(
        _ lanes: [Lane], _ ledgers: Ledgers, _ figures: LoadFigures, _ seconds: Double, _ stop: LoadReport.Stop?
    ) -> LoadReport {
        let branches = lanes.first?.shops.compactMap { $0.places.dropFirst().first } ?? []
        return LoadReport(
            seconds: seconds, answers: figures.answers, rate: seconds > 0 ? Double(figures.answers) / seconds : 0, retries: figures.retries,
            codesEntered: ledgers.codes.used, papersStamped: ledgers.papers.counts.stamped, papersTaken: ledgers.papers.counts.taken,
            cards: lanes.reduce(0) { $0 + $1.cards }, accounts: plan.accounts, shops: plan.shops,
            branches: branches.count, atBranches: ledgers.places.sum(of: branches), lanes: plan.lanes, seed: plan.seed,
            allRoutes: figures.allRoutes, routes: figures.routes, violations: ledgers.violations.count,
            firstViolations: ledgers.violations.texts, papersUntested: lanes.first?.shops.compactMap(\.paperRefusal).first, stop: stop)
    }

    // MARK: Concurrency

    /// In the order of the inputs.
    private func inLanes<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ work: @escaping @Sendable (Int, Input) async throws -> Output
    ) async throws -> [Output] {
        try await withThrowingTaskGroup(of: (Int, Output).self) { group in
            for (number, input) in inputs.enumerated() { group.addTask { (number, try await work(number, input)) } }
            var outputs: [(Int, Output)] = []
            for try await output in group { outputs.append(output) }
            return outputs.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Reports progress meanwhile, five times a second.
    private func watched<Value: Sendable>(
        _ part: Part, _ progress: @escaping @Sendable (Part, Int) -> Void, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let measurements = measurements
        let watch = Task {
            while !Task.isCancelled {
                progress(part, measurements.answers)
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        defer { watch.cancel() }
        return try await work()
    }
}

/// The parameters of a run.
public struct LoadPlan: Sendable {
    public var accounts: Int
    public var shops: Int
    /// Connections, each with its own customers.
    public var lanes: Int
    public var pace: Pace
    /// The mix's duration.
    public var seconds: Double
    public var seed: UInt64
    /// The file in which a server without `--dev` writes sign-in codes; nil if answers contain them.
    public var codes: String?
    /// A source address for each lane, 127.0.0.1 and on, for a local server that limits requests per address.
    public var hasOwnAddresses = false
    /// Seconds of retries while the server is unreachable.
    public var outageSeconds = Limits.outageSecondsMax

    /// Nil for the system's choice.
    func address(of lane: Int) -> String? { hasOwnAddresses ? "127.\(lane % 256).\(lane / 256).1" : nil }

    public init(accounts: Int = 500, shops: Int = 20, lanes: Int = 64, pace: Pace = .flatOut, seconds: Double = 20, seed: UInt64) {
        (self.accounts, self.shops, self.lanes) = (max(accounts, lanes), shops, lanes)
        (self.pace, self.seconds, self.seed) = (pace, seconds, seed)
    }
}

/// The server's address.
public struct ServerAddress: Sendable {
    public let host: String
    public let port: Int

    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Nil for anything but plain HTTP with a host, such as `http://127.0.0.1:8080`.
    public init?(url text: String) {
        guard let url = URL(string: text), url.scheme == "http", let host = url.host(percentEncoded: false), !host.isEmpty else {
            return nil
        }
        self.init(host: host, port: url.port ?? 80)
    }
}

/// The reason why the load generator cannot continue.
public enum LoadError: Error, CustomStringConvertible {
    /// Before the answer was complete.
    case disconnected
    /// The server had answered before; the text tells the attempts.
    case stopped(String)
    /// The text is the request.
    case timedOut(String)
    case unexpected(request: String, status: Int, body: String)
    /// The server shows no sign-in codes, and the plan names no file of them.
    case notInDevelopment
    case noCode(phone: String, file: String)

    public var description: String {
        switch self {
        case .disconnected: "the server closed the connection before its answer"
        case .stopped(let tried): "the server stopped answering; \(tried)"
        case .timedOut(let request): "no answer to \(request) within \(Limits.answerSecondsMax) s"
        case .unexpected(let request, let status, let body): "\(request) was answered with \(status): \(body)"
        case .notInDevelopment: "the answer to POST /v1/verifications has no devCode: use a server with --dev, or --codes"
        case .noCode(let phone, let file): "no sign-in code for \(phone) came into \(file); name the file of the server's --sms"
        }
    }
}
