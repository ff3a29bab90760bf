import Foundation
import Testing

extension EndToEnd {
    /// 64 clients race over 64 connections.
    @Suite struct RaceTests {
        @Test("A code that 64 customers submit at once stamps the card of one customer")
        func oneCode() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let code = try counter.code()
            let customers = try Self.customers(64, at: server)
            let answers = try inParallel(64) { try customers[$0].stamp(code.code, key: "race") }
            #expect(answers.filter { $0.status == 201 }.count == 1)
            #expect(answers.filter { $0.status == 422 && $0.problem == "codeNotValid" }.count == 63)
            #expect(try customers.reduce(0) { try $0 + $1.stamps() } == 1)
            #expect(try server.stop() == 0)
        }

        @Test("A redemption code that is submitted 64 times at once gives one reward")
        func oneReward() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server, goal: 1)
            let customer = try #require(try Self.customers(1, at: server).first)
            let stamped: StampBody = try customer.stamp(try counter.code().code, key: "stamp").read(status: 201)
            #expect(stamped.card.status == "full")
            let code: CodeBody = try customer.send("POST", "/v1/cards/\(stamped.card.id)/redemption").read(status: 201)
            let clerks = (0..<64).map { _ in counter.owner.moved(to: server) }
            let answers = try inParallel(64) { number in
                try clerks[number].send("POST", "/v1/redemptions", json: #"{"code":"\#(code.code)"}"#, key: "race-\(number)")
            }
            #expect(answers.filter { $0.status == 201 }.count == 1)
            // All 64 requests use one account, so requests after ten failures are rate-limited.
            #expect(answers.filter { ["redemptionNotValid", "rateLimited"].contains($0.problem) }.count == 63)
            #expect(try customer.cards().map(\.status) == ["redeemed"])
            #expect(try server.stop() == 0)
        }

        @Test("Requests with the same idempotency key have one effect and one answer")
        func oneKey() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let code = try counter.code()
            let customer = try #require(try Self.customers(1, at: server).first)
            let devices = (0..<64).map { _ in customer.moved(to: server) }
            let answers = try inParallel(64) { try devices[$0].stamp(code.code, key: "the-same") }
            #expect(answers.allSatisfy { $0.status == 201 })
            #expect(Set(answers.map(\.body)).count == 1)
            #expect(Set(answers.map { $0.headers["greentea-position"] }).count == 1)
            #expect(try customer.stamps() == 1)
            #expect(try server.stop() == 0)
        }

        private static func customers(_ count: Int, at server: Server) throws -> [Client] {
            try (1...count).map { number in
                let client = server.client
                try client.signIn(number)
                return client
            }
        }
    }
}
