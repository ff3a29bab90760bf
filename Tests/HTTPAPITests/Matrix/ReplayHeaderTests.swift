import HTTPTypes
import Testing

/// Sends every write of the matrix of access rights twice with one idempotency key, and checks which answer says that it is a replay.
@Suite("Replays say so", .timeLimit(.minutes(15)))
struct ReplayHeaderTests {
    private static let rows = Matrix.rows.filter { row in
        !row.name.hasPrefix("GET ") && !NotBuilt.operations.contains(row.name) && !withoutReplay.contains(row.name)
            && row.statuses.values.contains { (200..<300).contains($0) }
    }

    /// Writes that take no key, or that end the session with which they would be repeated.
    private static let withoutReplay = [
        "POST /v1/verifications", "POST /v1/redemptions/preview", "POST /v1/admin/accounts/search", "DELETE /v1/sessions/current",
        "DELETE /v1/sessions", "DELETE /v1/me",
    ]

    @Test("Only the repeated answer to a write carries Idempotency-Replayed", arguments: rows)
    func everyWrite(_ row: Row) async throws {
        try await onStage { _, visitor in
            let scene = try await Scene(visitor)
            let role = try #require(Role.allCases.last { (200..<300).contains(row.statuses[$0] ?? 0) })
            let ask = try await row.ask(scene)
            var headers = ask.headers
            headers[.idempotencyKey] = "replayed"
            let somebody = try await scene.somebody(role)
            let first = try await somebody.send(row.method, ask.path, ask.body, headers: headers)
            #expect((200..<300).contains(first.status) && first.replayed == nil, "\(row.name): \(first.text)")
            let again = try await somebody.send(row.method, ask.path, ask.body, headers: headers)
            #expect(again.status == first.status && again.body == first.body, "\(row.name): \(again.text)")
            #expect(again.replayed == "true", "\(row.name)")
        }
    }

    @Test("A repeated upload, first password, sign-in and refresh carry Idempotency-Replayed")
    func others() async throws {
        try await onStage { _, visitor in
            let phone = "+8613800138019"
            let me = try await visitor.signedIn(phone)
            func code() async throws -> String {
                try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
            }
            try await expectOneReplay { try await me.uploaded(key: "picture") }
            let password = #"{"new":"correct horse","code":"\#(try await code())"}"#
            try await expectOneReplay { try await me.put("/v1/me/password", password, key: "password") }
            let session = #"{"phone":"\#(phone)","code":"\#(try await code())"}"#
            try await expectOneReplay { try await visitor.post("/v1/sessions", session, key: "session") }
            // The answer to a refresh is kept by its token too.
            for key in ["refresh", nil] {
                let token = try #require(try await visitor.signedIn(phone).refreshToken)
                try await expectOneReplay { try await visitor.post("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#, key: key) }
            }
        }
    }

    @Test("A write that waited for an earlier one with its key carries Idempotency-Replayed, and a refused one never does")
    func concurrent() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<8 { group.addTask { try await cast.stamp(code, key: "one") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.count { $0.replayed == nil } == 1 && Set(replies.map(\.body)).count == 1)
            for _ in 0..<2 { #expect(try await cast.stamp(code, key: "other").replayed == nil) }
        }
    }

    private func expectOneReplay(_ send: () async throws -> Reply) async throws {
        let (first, again) = (try await send(), try await send())
        #expect((200..<300).contains(first.status) && first.replayed == nil, "\(first.text)")
        #expect(again.status == first.status && again.body == first.body && again.replayed == "true", "\(again.text)")
    }
}
