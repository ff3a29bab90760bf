import Caches
import Foundation
import HTTPTypes
import Patience
import Synchronization
import Testing

@testable import HTTPAPI

/// Counts the rows that requests look at, and checks that somebody pays for them.
@Suite("Work of a request", .timeLimit(.minutes(15)))
struct ShopWorkTests {
    /// Issues codes that nobody uses.
    private static func issue(_ count: Int, _ cast: Cast) async throws {
        for _ in 0..<count / 100 {
            #expect(try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"count":100}"#).status == 201)
        }
    }

    @Test("A page of used codes looks at a bounded number of rows, and its cursors lead to every used code")
    func usedCodes() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let used = try await cast.issue()
            _ = try await cast.stamp(used.code)
            try await Self.issue(1_200, cast)
            let path = "/v1/shops/\(cast.shop)/codes?status=used"
            var (found, pages, next): ([String], Int, String?) = ([], 0, "")
            while let cursor = next {
                let before = try await stage.rows("GET", "/v1/shops/{id}/codes", visitor)
                let page = try await cast.owner.get(path + (cursor.isEmpty ? "" : "&cursor=\(cursor)"))
                #expect(try await stage.rows("GET", "/v1/shops/{id}/codes", visitor) - before <= 4_000)
                found += try #require(try page.json["items"]?.items).compactMap { $0["id"]?.string }
                next = try page.json["next"]?.string
                pages += 1
            }
            #expect(found == [used.id])
            #expect(pages > 2)
        }
    }

    private static let rates = RequestRates(
        account: RequestRate(burst: 600, perSecond: 20), address: RequestRate(burst: 2_000, perSecond: 200),
        machine: RequestRate(burst: 6_000, perSecond: 600), accountRows: RequestRate(burst: 8_000, perSecond: 100),
        addressRows: RequestRate(burst: 12_000, perSecond: 100))

    @Test("Rows are charged to their account: who looks at too many must wait, and others at the address need not")
    func charged() async throws {
        try await onStage(try Stage(trustedProxies: 1, rates: Self.rates)) { stage, visitor in
            let cast = try await Cast(visitor)
            let manager = try await visitor.signedIn("+8613800138003", name: "manager")
            try await cast.hire(manager, as: "manager")
            try await Self.issue(500, cast)
            let path = "/v1/shops/\(cast.shop)/codes?status=used"
            let (busy, quiet): (HTTPFields, HTTPFields) = ([.forwardedFor: "203.0.113.7"], [.forwardedFor: "203.0.113.8"])
            func served(_ who: Visitor, _ headers: HTTPFields) async throws -> Int {
                var count = 0
                while count < 100, try await who.get(path, headers: headers).status == 200 { count += 1 }
                return count
            }
            #expect(try await cast.customer.get("/v1/me", headers: busy).status == 200)
            let byOwner = try await served(cast.owner, busy)
            #expect((2...10).contains(byOwner), "the account has looked at its rows")
            try await cast.owner.get("/v1/me", headers: quiet).expectProblem("rateLimited", 429)
            let byManager = try await served(manager, busy)
            #expect((1..<byOwner).contains(byManager), "the address's rows are used up, and the account has looked at many of them")
            #expect(try await manager.get("/v1/me", headers: quiet).status == 200, "the account has rows left")
            #expect(try await cast.customer.get("/v1/me", headers: busy).status == 200, "another account has not")
            #expect(try await visitor.get("/v1/shops", headers: busy).status == 200)
            stage.clock.advance(seconds: 60)
            #expect(try await cast.owner.get("/v1/me", headers: busy).status == 200)
        }
    }

    @Test("Requests without an account that use up their address's rows keep each other waiting, and no account")
    func strangers() async throws {
        let rates = RequestRates(
            account: RequestRate(burst: 600, perSecond: 20), address: RequestRate(burst: 2_000, perSecond: 200),
            machine: RequestRate(burst: 6_000, perSecond: 600), addressRows: RequestRate(burst: 1_000, perSecond: 1))
        try await onStage(try Stage(trustedProxies: 1, rates: rates)) { _, visitor in
            let cast = try await Cast(visitor)
            #expect(try await cast.customer.get("/v1/me").status == 200)
            for _ in 0..<60 { #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody()).status == 201) }
            let (busy, path): (HTTPFields, String) = ([.forwardedFor: "203.0.113.7"], "/v1/shops/\(cast.shop)")
            var count = 0
            while count < 100, try await visitor.get(path, headers: busy).status == 200 { count += 1 }
            #expect(count < 100)
            #expect(try await cast.customer.get("/v1/me", headers: busy).status == 200)
        }
    }

    @Test("The slow lane runs its tasks on a thread of its own, also after a pause, and nothing else does")
    func lane() async throws {
        try await SlowLane(clock: TestClock()).run {
            #expect(SlowLane.isHere)
            await Task.yield()
            #expect(SlowLane.isHere)
        }
        #expect(!SlowLane.isHere)
    }

    @Test("The slow lane rests three times as long as a step took, so that others have three quarters of a processor")
    func rests() async throws {
        let lane = SlowLane(clock: TestClock())
        let moments = Mutex<[ContinuousClock.Instant]>([])
        for _ in 0..<2 {
            try await Self.run(1, in: lane) {
                let began = ContinuousClock.now
                while ContinuousClock.now - began < .milliseconds(20) {}
                moments.withLock { $0 += [began, .now] }
            }
        }
        let (step, pause) = moments.withLock { ($0[0].duration(to: $0[1]), $0[1].duration(to: $0[2])) }
        #expect(pause >= step * 3)
    }

    /// The accounts whose steps ran, in their order.
    private final class Turns: Sendable {
        let isBusy = Atomic(false)
        private let accounts = Mutex<[UInt128]>([])
        var list: [UInt128] { accounts.withLock { $0 } }
        func add(_ account: UInt128) { accounts.withLock { $0.append(account) } }
    }

    private static func run(_ account: UInt128, in lane: SlowLane, _ work: @escaping @Sendable () -> Void) async throws {
        let client = PoolClient(PoolShare(account: account, address: account))
        try await PoolClient.$current.withValue(client) { try await lane.run { work() } }
    }

    @Test("Who has many requests in the slow lane delays another by one step, and gets no more than a part of it")
    func turns() async throws {
        let (lane, turns, most) = (SlowLane(clock: TestClock()), Turns(), Limits.slowLanePerAccountMax)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Self.run(3, in: lane) {
                    turns.isBusy.store(true, ordering: .releasing)
                    try? eventually("both accounts wait") { lane.waiting >= most + 1 }
                }
            }
            try await eventually("the lane is busy") { turns.isBusy.load(ordering: .acquiring) }
            for number in 0..<most {
                group.addTask { try await Self.run(1, in: lane) { turns.add(1) } }
                try await eventually("the request waits") { lane.waiting > number }
            }
            await #expect(throws: Problem.self) { try await Self.run(1, in: lane) {} }
            group.addTask { try await Self.run(2, in: lane) { turns.add(2) } }
            try await group.waitForAll()
        }
        #expect(turns.list.prefix(2) == [1, 2])
    }
}

extension Stage {
    /// The rows that requests of a route have looked at so far, by the metrics.
    func rows(_ method: String, _ route: String, _ visitor: Visitor) async throws -> Int {
        let metrics = try await visitor.get("/metrics").text
        let start = #"greentea_http_rows_read_total{method="\#(method)",route="\#(route)","#
        return metrics.split(separator: "\n").filter { $0.hasPrefix(start) }
            .reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }
}
