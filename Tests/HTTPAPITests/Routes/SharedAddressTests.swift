import Caches
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@testable import HTTPAPI

/// Accounts at one address, such as a mall's, that ask for all they can get, and the others there.
@Suite("Shared addresses", .timeLimit(.minutes(15)))
struct SharedAddressTests {
    private static let busy: HTTPFields = [.forwardedFor: "203.0.113.7"]
    private static let rates = RequestRates(
        account: RequestRate(burst: 8, perSecond: 1), address: RequestRate(burst: 20, perSecond: 2),
        machine: RequestRate(burst: 30, perSecond: 3))

    /// Sends requests until one is refused.
    private func served(_ who: Visitor, _ path: String, most: Int) async throws -> Int {
        var count = 0
        while count < most, try await who.get(path, headers: Self.busy).status == 200 { count += 1 }
        return count
    }

    @Test("Accounts that use up their address's requests keep neither another account nor a sign-in there from an answer")
    func requests() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { _, visitor in
            let quiet = try await visitor.signedIn("+8613800138010")
            for number in 2..<5 {
                let one = try await visitor.signedIn("+861380013800\(number)")
                #expect(try await one.get("/v1/me").status == 200)
                _ = try await served(one, "/v1/me", most: 20)
                try await one.get("/v1/me", headers: Self.busy).expectProblem("rateLimited", 429)
            }
            #expect(try await quiet.get("/v1/me").status == 200, "the token is known from now on")
            #expect(try await quiet.get("/v1/me", headers: Self.busy).status == 200)
            let asked = try await visitor.post("/v1/verifications", #"{"phone":"+8613800138011"}"#, headers: Self.busy)
            #expect(asked.status == 202)
        }
    }

    @Test("An account pays for every request with its token, also where no account is needed")
    func open() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { _, visitor in
            let one = try await visitor.signedIn("+8613800138002")
            #expect(try await one.get("/v1/me").status == 200)
            #expect(try await served(one, "/s/00000000", most: 30) < 8)
            #expect(try await served(one, "/checkpoint", most: 3) == 3, "files for machines have the address's rate alone")
        }
    }

    @Test("An account makes two searches at once, and another account at its address is served meanwhile")
    func searches() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { stage, visitor in
            let (one, other) = (try await visitor.signedIn("+8613800138002"), try await visitor.signedIn("+8613800138003"))
            let (address, account) = (try #require(ClientAddress("203.0.113.7")), try #require(AccountID(text: one.account)))
            let share = PoolShare(of: address, account: account)
            let held = try (0..<2).map { _ in try stage.api.resources.slots.searches.take(as: share) }
            try await one.get("/v1/shops", headers: Self.busy).expectProblem("overloaded", 503)
            #expect(try await other.get("/v1/shops", headers: Self.busy).status == 200)
            withExtendedLifetime(held) {}
        }
    }
}
