import Foundation
import HTTPTypes
import Testing

/// Every endpoint and every role.
@Suite("matrix of roles")
struct MatrixTests {
    @Test("each role gets what the contract gives it", arguments: Matrix.rows.filter { !NotBuilt.operations.contains($0.name) })
    func row(_ row: Row) async throws {
        try await onStage { _, visitor in
            let scene = try await Scene(visitor)
            for role in Role.allCases {
                guard let status = row.statuses[role] else { continue }
                let ask = try await row.ask(scene)
                var headers = ask.headers
                // Whoever asks: each has keys of their own.
                if let key = headers[.idempotencyKey] { headers[.idempotencyKey] = key + role.rawValue }
                let reply = try await scene.somebody(role).send(row.method, ask.path, ask.body, headers: headers)
                #expect(reply.status == status, "\(row.name) by \(role.rawValue): \(reply.text)")
                if reply.status >= 400 { try reply.expectProblem(try #require(reply.code), reply.status) }
            }
        }
    }

    @Test("the table has every endpoint once")
    func complete() throws {
        #expect(Matrix.rows.map(\.name).sorted() == (try Described().operations.map(\.name).sorted()))
    }

    @Test("who may, by the description, is who may, by the table")
    func agreement() throws {
        let rows = Dictionary(uniqueKeysWithValues: Matrix.rows.map { ($0.name, $0) })
        for operation in try Described().operations {
            let row = try #require(rows[operation.name])
            #expect((row.statuses[.none] == 401) == !operation.who.contains("anyone"), "\(operation.name)")
            let may: [String: Role] = ["account": .customer, "merchant": .staff, "owner": .owner, "operator": .operator]
            for who in operation.who {
                // An owner's notice goes to their own customers, an image has to be one, a password needs a code: looked at elsewhere.
                let others = ["POST /v1/notices", "POST /v1/images", "PUT /v1/me/password"]
                guard let role = may[who], let status = row.statuses[role], !others.contains(row.name)
                else { continue }
                // Of accounts, the customer may all but what others' things are.
                #expect((200..<300).contains(status), "\(operation.name): \(who)")
            }
        }
    }
}
