import HTTPTypes
import Testing

/// Sends every read request of the matrix of access rights, and checks the position in the answer.
@Suite("Positions of reads", .timeLimit(.minutes(15)))
struct PositionHeaderTests {
    private static let position = HTTPField.Name("GreenTea-Position")!
    private static let rows = Matrix.rows.filter { $0.name.hasPrefix("GET /v1/") && !NotBuilt.operations.contains($0.name) }

    @Test("Each read of JSON that the table has names a position that the log has reached")
    func everyRead() async throws {
        try await onStage { stage, visitor in
            let scene = try await Scene(visitor)
            var shown: Set<String> = []
            for row in Self.rows {
                guard let role = Role.allCases.last(where: { row.statuses[$0] == 200 }) else { continue }
                let ask = try await row.ask(scene)
                let reply = try await scene.somebody(role).send(row.method, ask.path, ask.body, headers: ask.headers)
                guard reply.status == 200, reply.headers[.contentType] == "application/json" else { continue }
                let text = try #require(reply.headers[Self.position], "\(row.name)")
                let position = try #require(UInt64(text), "\(row.name): \(text)")
                #expect(position <= stage.head && String(position) == text, "\(row.name)")
                shown.insert(row.name)
            }
            // Answers with pictures, streams or receipts are not JSON, so these reads are not in `shown`.
            #expect(shown.count >= Self.rows.count - 4 && shown.contains("GET /v1/me/cards"), "\(shown.count) of \(Self.rows.count)")
        }
    }

    @Test("An answer's position is at least the request's, and never beyond the log's head")
    func named() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for path in ["/v1/shops/\(cast.shop)", "/v1/campaigns", "/v1/me/cards", "/v1/me"] {
                // Each write moves the log's head forward. A read waits only for the models from which its answer is made.
                _ = try await cast.issue()
                let head = stage.head
                let reply = try await cast.owner.get(path, headers: [.minPosition: "\(head)"])
                #expect(reply.headers[Self.position] == "\(head)", "\(path)")
            }
            let badge = try await cast.owner.get(
                "/v1/me/badge", headers: [.minPosition: "\(UInt64.max)"])
            #expect(badge.status == 200 && badge.headers[Self.position] == "\(stage.head)", "\(badge.text)")
        }
    }

    @Test("HEAD and 304 have the position that the whole answer would have, and a known picture has none")
    func withoutBody() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for path in ["/v1/me", "/v1/campaigns/\(cast.campaign)", "/v1/shops/\(cast.shop)"] {
                let whole = try await cast.owner.get(path)
                let tag = try #require(whole.headers[.eTag])
                _ = try await cast.issue()
                let head = stage.head
                let short = try await cast.owner.send(.head, path, headers: [.minPosition: "\(head)"])
                #expect(short.status == 200 && short.body.isEmpty && short.headers[Self.position] == "\(head)", "\(path)")
                #expect(short.headers[.eTag] == tag && short.headers[.contentType] == "application/json", "\(path)")
                let known = try await cast.owner.get(path, headers: [.minPosition: "\(head)", .ifNoneMatch: tag])
                #expect(known.status == 304 && known.headers[Self.position] == "\(head)", "\(path)")
            }
        }
    }

    @Test("The answer to a refused read names no position")
    func refused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for path in ["/v1/me/cards?limit=0", "/v1/cards/card_00000000000000000000000000"] {
                let reply = try await cast.customer.get(path)
                #expect(reply.status >= 400 && reply.headers[Self.position] == nil, "\(path)")
            }
        }
    }
}
