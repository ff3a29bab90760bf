import EventLog
import Loyalty
import LoyaltyCodec
import SharedLogs
import Testing

@testable import CommandService
@testable import Composition

extension TestCluster {
    /// Makes `a` the writer of a shop with a customer, and issues a code.
    func begin() async throws -> (shop: TeaShop, guest: Caller, code: TypedCode) {
        meet()
        try #require(a.writes)
        let shop = try await TeaShop.open(on: a.service)
        let guest = try await customer(1, on: a.service)
        return (shop, guest, try await shop.code(on: a.service))
    }

    /// Opens the writer `a` again so that it answers after 0.05 seconds, and holds its next request to the shared log.
    func holdWriter() throws -> Held {
        try a.close()
        try a.open(outcomeSecondsMax: 0.05)
        a.step()
        let held = Held()
        engine.beforeRequests { try held.wait() }
        return held
    }
}

extension Node {
    /// Enters a code, always with the same idempotency key.
    func stamp(_ code: TypedCode, by guest: Caller) async -> Result<Acceptance, ServiceError> {
        let service = service
        return await outcome(of: try await service.stamp(code, by: guest.under("k", on: service)))
    }

    func end(_ session: SessionID) async throws {
        let service = service
        let account = try #require(try service.reading { try $0.session(session) }).account
        _ = try await service.submit(.endSession(EndSession(session: session)), by: Caller(account: account))
    }
}
