import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import HTTPAPI

/// Sends the requests of the matrix, and requests for every page, to a small shop and to one twenty times as large, and compares the rows
/// that they look at. So a new route whose rows grow fails until the table names it.
@Suite("Work of every route", .timeLimit(.minutes(15)))
struct RouteWorkTests {
    /// The rows that a route may look at in addition at the large shop, because the index or a model is in another state.
    private static let slack = 12
    /// The sizes of the two shops. Their difference is more than the slack, so that one row for each thing of a kind is noticed.
    private static let (small, large) = (1, 20)

    @Test("Every route is measured")
    func complete() async throws {
        try await onStage { stage, _ in
            let routes = stage.api.routes + stage.api.pages
            let measured = routes.filter { $0.method == .get }.map(Self.name) + RouteWork.writes.map { RouteWork.route($0.name) }
            #expect(Set(measured).union(RouteWork.unmeasured) == Set(routes.map(Self.name)))
        }
    }

    @Test("A read looks at no more rows of a larger shop, unless the table says so")
    func reads() async throws {
        let (small, large) = (try await Self.rows(ofReads: Self.small), try await Self.rows(ofReads: Self.large))
        for name in large.keys.sorted() { Self.judge(name, small, large) }
    }

    @Test("A write looks at no more rows of a larger shop, unless the table says so", arguments: RouteWork.writes)
    func writes(_ row: Row) async throws {
        let (small, large) = (try await Self.rows(ofWrite: row, size: Self.small), try await Self.rows(ofWrite: row, size: Self.large))
        Self.judge(row.name, small, large)
    }

    private static func name(_ route: Route) -> String { "\(route.method.rawValue) \(route.path)" }

    private static func judge(_ name: String, _ small: [String: Int], _ large: [String: Int]) {
        let (few, many) = (small[name] ?? 0, large[name] ?? 0)
        let grows = RouteWork.growing.contains(name)
        #expect(grows == (many > few + slack), "\(name): \(few) rows at the small shop, \(many) at the large one")
    }

    /// The rows that each read of the matrix and each page looks at, for every role that may see it.
    private static func rows(ofReads size: Int) async throws -> [String: Int] {
        try await counts(size) { stage, scene, visitors, count in
            var asked: Set<String> = []
            for row in Matrix.rows where row.method == .get && !NotBuilt.operations.contains(row.name) {
                let route = RouteWork.route(row.name)
                asked.insert(route)
                for role in Role.allCases where row.statuses[role] == 200 {
                    let ask = try await row.ask(scene)
                    try await count(route) { _ = try await visitors[role]!.get(ask.path, headers: ask.headers) }
                }
            }
            let card = try await scene.card()
            for route in stage.api.routes + stage.api.pages where route.method == .get && !asked.contains(name(route)) {
                // The stream of events does not end.
                guard route.path != "/v1/me/events" else { continue }
                try await count(name(route)) {
                    _ = try await visitors[.owner]!.get(RouteWork.path(route.path, scene, card: card))
                }
            }
        }
    }

    /// The rows that a write of the matrix looks at, for every role that may send it.
    private static func rows(ofWrite row: Row, size: Int) async throws -> [String: Int] {
        try await counts(size) { _, scene, _, count in
            for role in Role.allCases where (200..<300).contains(row.statuses[role] ?? 0) {
                let ask = try await row.ask(scene)
                var headers = ask.headers
                if let key = headers[.idempotencyKey] { headers[.idempotencyKey] = key + role.rawValue }
                let (somebody, fields) = (try await scene.somebody(role), headers)
                try await count(row.name) { _ = try await somebody.send(row.method, ask.path, ask.body, headers: fields) }
            }
        }
    }

    private typealias Count = (_ route: String, _ ask: () async throws -> Void) async throws -> Void

    /// Counts the rows that requests to a shop of some size look at.
    private static func counts(
        _ size: Int, _ asking: @Sendable (Stage, Scene, [Role: Visitor], Count) async throws -> Void
    ) async throws -> [String: Int] {
        let counts = Mutex<[String: Int]>([:])
        try await onStage { stage, visitor in
            let scene = try await Scene(visitor)
            try await RouteWork.grow(scene, size, on: stage)
            // Each role signs in once, because an account has a limited number of sessions.
            var visitors: [Role: Visitor] = [:]
            for role in Role.allCases { visitors[role] = try await scene.somebody(role) }
            try await asking(stage, scene, visitors) { route, ask in
                let parts = route.split(separator: " ").map(String.init)
                let before = try await stage.rows(parts[0], parts[1], visitor)
                try await ask()
                let rows = try await stage.rows(parts[0], parts[1], visitor) - before
                counts.withLock { $0[route, default: 0] += rows }
            }
        }
        return counts.withLock { $0 }
    }
}
