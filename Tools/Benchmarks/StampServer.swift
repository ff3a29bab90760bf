import Composition
import EventLog
import Foundation
import HTTPAPI
import Hummingbird
import Logging
import LoyaltyCodec
import NIOCore

/// A shop's API over HTTP, with signed-in customers whose requests `wrk` sends.
struct StampServer {
    /// At least as many as connections; they send in turn.
    private static let customers = 256

    let shop: BenchShop
    let api: API
    private let tokens: [String]
    private let sizes: Sizes
    private let folder: String

    /// Opens the service in `folder/data`, with an existing log if there is one.
    static func open(
        in folder: String, sizes: Sizes, durability: any BatchDurability = LocalCommit()
    ) async throws -> StampServer {
        let shop = try await BenchShop.open(in: folder + "/data", customers: 0, durability: durability)
        let api = try api(of: shop.service)
        return StampServer(shop: shop, api: api, tokens: try await signIn(customers, to: api), sizes: sizes, folder: folder)
    }

    static func api(of service: GreenTea) throws -> API {
        var logger = Logger(label: "bench")
        logger.logLevel = .critical
        var configuration = API.Configuration(isDevelopment: true, publicURL: "http://127.0.0.1")
        // In development mode no text messages are sent, so `serve` sets no limits either.
        configuration.messageLimits = nil
        return try API(service: service, configuration: configuration, logger: logger)
    }

    /// Signs new customers in as a client would, and returns their access tokens.
    private static func signIn(_ count: Int, to api: API) async throws -> [String] {
        try await serving(api.application) { port in
            try (0..<count).map { number in
                let phone = "+4930\(1_000_000 + number)"
                let verification = try post("/v1/verifications", ["phone": phone], port)
                let session = try post("/v1/sessions", ["phone": phone, "code": verification["devCode"] as? String ?? ""], port)
                guard let token = session["accessToken"] as? String else { throw BenchError.unexpected }
                return token
            }
        }
    }

    private static func post(_ path: String, _ body: [String: Any], _ port: Int, token: String? = nil) throws -> [String: Any] {
        let json = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        let bearer = token.map { ["-H", "Authorization: Bearer " + $0] } ?? []
        let arguments = ["-sS", "-H", "Content-Type: application/json"] + bearer + ["-d", json, "http://127.0.0.1:\(port)\(path)"]
        guard let answer = try JSONSerialization.jsonObject(with: output(of: "curl", arguments)) as? [String: Any] else {
            throw BenchError.unexpected
        }
        return answer
    }

    /// One review by each of the first `count` customers.
    func review(_ shop: String, count: Int) async throws {
        try await Self.serving(api.application) { port in
            for (number, token) in tokens.prefix(count).enumerated() {
                let review: [String: Any] = [
                    "rating": number % 5 + 1, "text": "Best oolong in town, and a friendly counter. Visit \(number).",
                ]
                guard try Self.post("/v1/shops/\(shop)/reviews", review, port, token: token)["id"] is String else {
                    throw BenchError.unexpected
                }
            }
        }
    }

    /// Writes a Lua file with tokens, new codes and the load script for `wrk`, and returns its path.
    func input() async throws -> String {
        let codes = try await shop.issue(sizes.httpSeconds * sizes.codesPerSecond)
        let path = folder + "/input.lua"
        let lists = "tokens = {\"\(tokens.joined(separator: "\",\""))\"}\ncodes = {\"\(codes.map(\.text).joined(separator: "\",\""))\"}\n"
        try (lists + LoadScript.text).write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Enters the codes of `input` for the configured number of seconds.
    func stamps(_ input: String, over connections: Int = 64) async throws -> HTTPLoad {
        try await Self.serving(api.application) { try load($0, "/v1/stamps", input, over: connections, expecting: 201) }
    }

    /// Sends the same requests to an echo server, which stores a record of each with a `writer`.
    func echoes(_ input: String, over connections: Int, storedBy writer: RawWriter? = nil) async throws -> HTTPLoad {
        try await Self.serving {
            EchoServer.application(storedBy: writer, hostname: $0, port: $1, onServerRunning: $2)
        } _: {
            try load($0, "/echo", input, over: connections, expecting: 200)
        }
    }

    private func load(_ port: Int, _ path: String, _ script: String, over connections: Int, expecting status: Int) throws -> HTTPLoad {
        try HTTPLoad(
            over: connections, seconds: sizes.httpSeconds, ["-s", script, "http://127.0.0.1:\(port)\(path)", "--", "\(status)"])
    }

    /// Runs a server while `work` uses its port on a thread that may block.
    static func serving<App: ApplicationProtocol, Value: Sendable>(
        _ application: (String, Int, @escaping @Sendable (any Channel) async -> Void) -> App,
        _ work: @escaping @Sendable (Int) throws -> Value
    ) async throws -> Value {
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let server = application("127.0.0.1", 0) { channel in found.yield(channel.localAddress?.port ?? 0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var ports = ports.makeAsyncIterator()
            guard let port = await ports.next() else { throw BenchError.unexpected }
            defer { group.cancelAll() }
            return try await withCheckedThrowingContinuation { continuation in
                Thread { continuation.resume(with: Result { try work(port) }) }.start()
            }
        }
    }
}

struct HTTPLoad {
    /// Requests per second.
    let rate: Double
    /// Microseconds.
    let p50: Double
    /// The 99th percentile in microseconds.
    let p99: Double

    /// Runs `wrk`, whose script prints one JSON object.
    ///
    /// - Throws: ``BenchError`` if a request failed.
    init(over connections: Int, seconds: Int, _ arguments: [String]) throws {
        let printed = try output(of: "wrk", ["-t1", "-c\(connections)", "-d\(seconds)s"] + arguments)
        let line = String(decoding: printed, as: UTF8.self).split(separator: "\n").last { $0.hasPrefix("{") } ?? "{}"
        guard let result = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Double],
            let good = result["good"], let bad = result["bad"], let seconds = result["seconds"], good > 0
        else { throw BenchError.unexpected }
        guard bad == 0 else { throw BenchError.failedRequests(Int(bad)) }
        (rate, p50, p99) = (good / seconds, result["p50"] ?? 0, result["p99"] ?? 0)
    }
}

/// Each request enters the next code for the next customer, until the codes run out. Then it prints the counts and times.
enum LoadScript {
    static let text = """
        wanted, sent, good, bad = 0, 0, 0, 0

        function setup(thread) load = thread end

        function init(arguments) wanted = tonumber(arguments[1]) end

        function request()
            sent = sent + 1
            local code = codes[sent]
            if code == nil then
                wrk.thread:stop()
                code = codes[1]
            end
            local headers = {
                ["Content-Type"] = "application/json",
                ["Authorization"] = "Bearer " .. tokens[sent % #tokens + 1],
                ["Idempotency-Key"] = code .. sent,
            }
            return wrk.format("POST", nil, headers, '{"code":"' .. code .. '"}')
        end

        function response(status, headers, body)
            if sent > #codes then return end
            if status == wanted then good = good + 1 else bad = bad + 1 end
        end

        function done(summary, latency, requests)
            local good, bad = load:get("good"), load:get("bad")
            local p50, p99 = latency:percentile(50), latency:percentile(99)
            local line = '{"good": %d, "bad": %d, "seconds": %f, "p50": %d, "p99": %d}'
            print(string.format(line, good, bad, summary.duration / 1e6, p50, p99))
        end

        """

    /// Prints the counts of requests that wrk makes by itself.
    static let summary = """
        function done(summary, latency, requests)
            local errors = summary.errors
            local bad = errors.connect + errors.read + errors.write + errors.status + errors.timeout
            print(string.format('{"good": %d, "bad": %d, "seconds": %f}', summary.requests, bad, summary.duration / 1e6))
        end

        """
}
