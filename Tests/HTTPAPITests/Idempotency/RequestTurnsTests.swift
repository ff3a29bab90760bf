import Caches
import CommandService
import Loyalty
import LoyaltyCodec
import Patience
import Synchronization
import Testing
import TextMessages

@testable import HTTPAPI

/// The clock of these tests stands still, so a wait takes too long only if a test allows it no time.
@Suite("Turns of requests with one idempotency key", .timeLimit(.minutes(15)))
struct RequestTurnsTests {
    /// The number of requests that run.
    private final class Running: Sendable {
        private let count = Atomic<Int>(0)

        func change(by step: Int) -> Int { count.add(step, ordering: .sequentiallyConsistent).newValue }
    }

    private let clock = TestClock()

    private static func caller(key: UInt128? = 1) -> Caller {
        Caller(account: AccountID(1), mark: key.map { RequestMark(request: $0, digest: 0) })
    }

    private static func waiting(_ count: Int) -> PoolTerms {
        PoolTerms("requests", in: [], capacity: count, perAccount: count, displaced: .nobody, test: "")
    }

    /// Waits for a turn and ends it.
    ///
    /// - Returns: whether the request had its turn; false if it was refused as `overloaded`.
    private static func run(_ turns: RequestTurns) async -> Bool {
        do { try await turns.begin(caller()) } catch {
            #expect(error.code == .overloaded)
            return false
        }
        turns.end(caller())
        return true
    }

    @Test("Of many requests with one key only one runs at a time, and each has its turn")
    func oneAtATime() async throws {
        let turns = RequestTurns(clock: clock, waiting: Self.waiting(500))
        let running = Running()
        let most = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    try await turns.begin(Self.caller())
                    defer { turns.end(Self.caller()) }
                    let count = running.change(by: 1)
                    for _ in 0..<5 { await Task.yield() }
                    _ = running.change(by: -1)
                    return count
                }
            }
            return try await group.reduce(0) { max($0, $1) }
        }
        #expect(most == 1)
    }

    @Test("Requests with different keys or without a key do not wait for one another")
    func others() async throws {
        let turns = RequestTurns(clock: clock, waiting: Self.waiting(0))
        for key: UInt128? in [1, 2, nil, nil] { try await turns.begin(Self.caller(key: key)) }
        #expect(await !Self.run(turns))
        for key: UInt128? in [2, nil, nil] { turns.end(Self.caller(key: key)) }
        #expect(await !Self.run(turns))
        turns.end(Self.caller())
        #expect(await Self.run(turns))
    }

    @Test("A request that has waited too long is refused, and later requests have their turn")
    func late() async throws {
        let turns = RequestTurns(clock: clock, waitSeconds: 0)
        try await turns.begin(Self.caller())
        for _ in 0..<2 { #expect(await !Self.run(turns)) }
        turns.end(Self.caller())
        #expect(await Self.run(turns))
    }

    @Test("If too many requests wait, the next one is refused, and a cancelled request no longer counts")
    func bounded() async throws {
        let turns = RequestTurns(clock: clock, waiting: Self.waiting(2))
        try await turns.begin(Self.caller())
        for _ in 0..<10 {
            let cancelled = Task { await Self.run(turns) }
            cancelled.cancel()
            #expect(try await !cancelled.valueInTime())
        }
        let haveRun = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 { group.addTask { await Self.run(turns) } }
            // Two requests wait until the first one ends, so the third ends before them.
            var haveRun: [Bool] = []
            if let refused = await group.next() { haveRun.append(refused) }
            turns.end(Self.caller())
            for await hasRun in group { haveRun.append(hasRun) }
            return haveRun
        }
        #expect(haveRun == [false, true, true])
    }

    @Test("Operators' retries that arrive while the first request runs get its answer, and one with another number is refused")
    func lostPhone() async throws {
        let (outbox, old) = (PhoneTests.Outbox(), "+8613800138002")
        try await onStage(try Stage(messages: outbox)) { stage, visitor in
            let customer = try await visitor.signedIn(old)
            let officer = try await visitor.signedIn(Stage.operatorPhone)
            let (path, head) = ("/v1/admin/accounts/\(customer.account)/phone", stage.head)
            let replies: [Reply] = try await withThrowingTaskGroup(of: Reply.self) { group in
                for number in 0..<32 {
                    let phone = "+8613800138\(number % 2 == 0 ? 222 : 333)"
                    group.addTask { try await officer.put(path, #"{"phone":"\#(phone)","reason":"Stolen"}"#, key: "lost") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let accepted = replies.filter { $0.status == 200 }
            #expect(accepted.count == 16 && Set(accepted.map(\.body)).count == 1)
            for reply in replies where reply.status != 200 { try reply.expectProblem("idempotencyKeyReused", 422) }
            #expect(stage.head == head + 1)
            let asked = try await customer.get("/v1/me").string("phoneChange", "phone")
            #expect(try accepted.first?.string("phone") == asked)
            #expect(outbox.messages.filter { $0.phone == old && $0.text.contains("+861*******") }.count == 1)
        }
    }

    @Test("A retry of an owner's erasure that arrives while the shops close is never told that something is missing")
    func erasure() async throws {
        try await onStage { stage, visitor in
            let owner = try await visitor.signedIn("+8613800138002")
            for number in 0..<8 { #expect(try await owner.post("/v1/shops", Cast.shopBody, key: "shop-\(number)").status == 201) }
            let replies: [Reply] = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<16 { group.addTask { try await owner.delete("/v1/me", key: "erasure") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // A retry that arrives after the erasure finds its session ended.
            for reply in replies where reply.status != 204 { try reply.expectProblem("unauthenticated", 401) }
            #expect(Set(replies.filter { $0.status == 204 }.map(\.position)) == [stage.head])
        }
    }
}
