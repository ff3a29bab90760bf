import Foundation
import HTTPTypes
import Testing

/// Sends a request to every endpoint as every role.
@Suite("Matrix of roles", .timeLimit(.minutes(15)))
struct MatrixTests {
    @Test("Each role gets the status that the contract names", arguments: Matrix.rows.filter { !NotBuilt.operations.contains($0.name) })
    func row(_ row: Row) async throws {
        try await onStage { _, visitor in
            let scene = try await Scene(visitor)
            for role in Role.allCases {
                guard let status = row.statuses[role] else { continue }
                let ask = try await row.ask(scene)
                var headers = ask.headers
                // Each role uses its own idempotency key.
                if let key = headers[.idempotencyKey] { headers[.idempotencyKey] = key + role.rawValue }
                let reply = try await scene.somebody(role).send(row.method, ask.path, ask.body, headers: headers)
                #expect(reply.status == status, "\(row.name) by \(role.rawValue): \(reply.text)")
                if reply.status >= 400 { try reply.expectProblem(try #require(reply.code), reply.status) }
            }
        }
    }

    @Test("The table has every endpoint exactly once")
    func complete() throws {
        #expect(Matrix.rows.map(\.name).sorted() == (try Described().operations.map(\.name).sorted()))
    }

    @Test("The table admits every caller that the API description admits")
    func agreement() throws {
        let rows = Dictionary(uniqueKeysWithValues: Matrix.rows.map { ($0.name, $0) })
        for operation in try Described().operations {
            let row = try #require(rows[operation.name])
            #expect((row.statuses[.none] == 401) == !operation.who.contains("anyone"), "\(operation.name)")
            let may: [String: Role] = [
                "account": .customer, "merchant": .staff, "manager": .manager, "owner": .owner, "operator": .operator,
            ]
            for who in operation.who {
                // Other tests cover these operations, because they need more than a role: an owner's notice goes only to the shop's
                // customers, an image must be valid, a password needs a code, and staff destroy only codes that they issued.
                let others = [
                    "POST /v1/notices", "DELETE /v1/notices/{id}", "POST /v1/images", "PUT /v1/me/password", "DELETE /v1/codes/{id}",
                ]
                guard let role = may[who], let status = row.statuses[role], !others.contains(row.name)
                else { continue }
                // If the description admits every `account`, the test uses the status of the role `customer`, because these requests are
                // about the customer's own objects.
                #expect((200..<300).contains(status), "\(operation.name): \(who)")
            }
        }
    }

    @Test("The table refuses every caller that the API description does not admit")
    func refusals() throws {
        let rows = Dictionary(uniqueKeysWithValues: Matrix.rows.map { ($0.name, $0) })
        // For each role, the words in the API description that admit the role. `merchant` means staff and owners, and `account` means every
        // signed-in caller.
        let admitting: [Role: Set<String>] = [
            .customer: ["anyone", "account"], .staff: ["anyone", "account", "merchant"],
            .manager: ["anyone", "account", "merchant", "manager"],
            .owner: ["anyone", "account", "merchant", "manager", "owner"],
            .operator: ["anyone", "account", "operator"],
        ]
        for operation in try Described().operations {
            let row = try #require(rows[operation.name])
            for (role, words) in admitting where words.isDisjoint(with: operation.who) {
                let status = try #require(row.statuses[role])
                #expect(!(200..<300).contains(status), "\(operation.name): \(role)")
            }
        }
    }
}
