import Composition
import Foundation
import HTTPAPI
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import NIOCore

/// Measures public pages and their files. The baseline is a route in plain Hummingbird with the same headers and bytes.
///
/// A page is also measured with a different address in each request, so that it is always rendered, and beside codes that are issued, which
/// change no page.
struct PageBench {
    private static let connections = 32
    /// Each with one campaign on the first page.
    private static let shops = 20
    private static let reviews = 10
    /// The lowest ratios to the baseline, for a kept page and for an asset.
    private static let (pageTarget, assetTarget) = (0.6, 0.8)

    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) async throws {
        let server = try await StampServer.open(in: folder + "/pages", sizes: sizes)
        let shop = try await fill(server)
        let pages = [("first page", "/"), ("campaign's page", "/c/\(server.shop.campaign.text)"), ("shop's page", "/s/\(shop.text)")]
        let paths = pages.map(\.1)
        let assets = try await StampServer.serving(server.api.application) { port in
            let html = String(decoding: try Copy(of: paths[0], port).body, as: UTF8.self)
            guard let style = html.firstMatch(of: #/"(\/assets\/style\.[^"]+)"/#),
                let script = html.firstMatch(of: #/src="(\/assets\/[^"]+\.js)"/#)
            else { throw BenchError.unexpected }
            return [("style sheet", String(style.1)), ("script", String(script.1))]
        }
        for (name, path) in pages { try await measure(name, path, server, isPage: true, into: &report) }
        for (name, path) in assets { try await measure(name, path, server, isPage: false, into: &report) }
        try close(server.shop.service)
    }

    private func measure(_ name: String, _ path: String, _ server: StampServer, isPage: Bool, into report: inout Report) async throws {
        var (ours, bare, anew, busy): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        let copy = try await StampServer.serving(server.api.application) { try Copy(of: path, $0) }
        for _ in 0..<sizes.rounds {
            bare.append(
                try await StampServer.serving {
                    CopyServer.application(copy, hostname: $0, port: $1, onServerRunning: $2)
                } _: {
                    try rate($0, CopyServer.path)
                })
            ours.append(try await StampServer.serving(server.api.application) { try rate($0, path) })
            guard isPage else { continue }
            anew.append(try await StampServer.serving(server.api.application) { try rate($0, path, isAnew: true) })
            let codes = Task { while !Task.isCancelled { _ = try await server.shop.issue(1) } }
            busy.append(try await StampServer.serving(server.api.application) { try rate($0, path) })
            codes.cancel()
            _ = await codes.result
        }
        let size = ", \(copy.body.count) bytes"
        report.add(name + size, "requests/s", ours)
        report.add("  bare Hummingbird, the same bytes", "requests/s", bare)
        report.addRatio("\(name) : bare Hummingbird", of: ours, to: bare, target: isPage ? Self.pageTarget : Self.assetTarget)
        guard isPage else { return }
        report.add("  made anew", "requests/s", anew)
        report.add("  while codes are issued", "requests/s", busy)
        report.addRatio("\(name) made anew : bare Hummingbird", of: anew, to: bare)
        report.addRatio("\(name) while codes are issued : bare Hummingbird", of: busy, to: bare)
    }

    /// Requests per second. Throws if a request failed.
    ///
    /// - Parameter isAnew: whether each request has a different address, so that the server renders the page for each.
    private func rate(_ port: Int, _ path: String, isAnew: Bool = false) throws -> Double {
        let script = folder + "/pages.lua"
        try (LoadScript.summary + (isAnew ? Self.ownAddresses : "")).write(toFile: script, atomically: true, encoding: .utf8)
        let headers = ["-H", "Accept: text/html", "-H", "Accept-Encoding: gzip"]
        let arguments = ["-s", script] + headers + ["http://127.0.0.1:\(port)\(path)"]
        return try HTTPLoad(over: Self.connections, seconds: sizes.httpSeconds, arguments).rate
    }

    private static let ownAddresses = """
        sent = 0

        function request()
            sent = sent + 1
            return wrk.format(nil, wrk.path .. '?n=' .. sent)
        end

        """

    /// Opens shops, each with a campaign, and reviews the first one, which is returned.
    private func fill(_ server: StampServer) async throws -> ShopID {
        var shops: [ShopID] = []
        for number in 1..<Self.shops {
            let added = try await server.shop.service.addShop(
                of: "bench:owner \(number)", "奶茶店 Tea \(number)", phone: "+1000000\(number)", address: "南京东路 \(number) 号",
                at: Coordinate(latitude: 31.2, longitude: 121.4 + Double(number) / 1_000), title: "Ten cups, the eleventh is free",
                details: "Any drink, any size.", reward: "A free cup")
            shops.append(added.shop)
        }
        try await server.review(shops[0].text, count: Self.reviews)
        return shops[0]
    }
}

/// A copy of one answer, which the baseline server sends to every request.
struct Copy: Sendable {
    let headers: HTTPFields
    let body: [UInt8]

    init(of path: String, _ port: Int) throws {
        let head = FileManager.default.temporaryDirectory.appendingPathComponent("greentea-bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: head) }
        body = Array(
            try output(
                of: "curl",
                ["-sSf", "-D", head, "-H", "Accept: text/html", "-H", "Accept-Encoding: gzip", "http://127.0.0.1:\(port)\(path)"]))
        var headers = HTTPFields()
        for line in try String(contentsOfFile: head, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            headers[name] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        // The baseline server adds these headers itself.
        for name in [HTTPField.Name.contentLength, .date, .connection, .server] { headers[name] = nil }
        self.headers = headers
    }
}

enum CopyServer {
    static let path = "/copy"

    static func application(
        _ copy: Copy, hostname: String, port: Int, onServerRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        let router = Router()
        router.get(RouterPath(path)) { _, _ in
            Response(status: .ok, headers: copy.headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: copy.body)))
        }
        return bareApplication(router, hostname: hostname, port: port, onServerRunning)
    }
}
