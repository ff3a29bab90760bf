import Caches
import Patience
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("Slots", .timeLimit(.minutes(15)))
struct SlotsTests {
    /// Numbers in the order in which they were added.
    private final class Record: Sendable {
        private let numbers = Mutex<[UInt128]>([])
        var list: [UInt128] { numbers.withLock { $0 } }
        func add(_ number: UInt128) { numbers.withLock { $0.append(number) } }
    }

    private static func slots(_ capacity: Int, perAccount: Int) -> Slots {
        let terms = PoolTerms("slots", in: [], capacity: capacity, perAccount: perAccount, displaced: .nobody, test: "")
        return Slots(terms, clock: TestClock())
    }

    private func take(_ slots: Slots, _ account: Int) throws -> Slot { try slots.take(as: PoolShare(account: UInt128(account))) }

    private func expectFull(_ slots: Slots, _ account: Int) {
        let error = #expect(throws: Problem.self) { try self.take(slots, account) }
        #expect(error?.code == .overloaded && error?.retryAfterSeconds == Limits.slotRetrySeconds)
    }

    @Test("Slots are limited in total and per account, and a returned slot can be taken again")
    func bounded() throws {
        let slots = Self.slots(3, perAccount: 2)
        let first = try take(slots, 1)
        var others = [try take(slots, 1)]
        expectFull(slots, 1)
        others.append(try take(slots, 2))
        expectFull(slots, 3)
        first.giveBack()
        first.giveBack()
        others.append(try take(slots, 3))
        expectFull(slots, 1)
        others = []
        for account in [7, 7, 8] { others.append(try take(slots, account)) }
        expectFull(slots, 8)
    }

    @Test("A holder that made no progress in the last seconds is ended when its slot is needed")
    func stalled() throws {
        let clock = TestClock()
        let terms = PoolTerms("slots", in: [], capacity: 2, perAccount: 1, displaced: .slowest, perSecond: 100, test: "")
        let slots = Slots(terms, clock: clock)
        let ended = Record()
        let held = try (0..<2).map { number in
            try slots.take(as: PoolShare(account: UInt128(number))) { ended.add(UInt128(number)) }
        }
        clock.advance(seconds: 9)
        expectFull(slots, 2)
        held[0].progressed(bytes: 100)
        clock.advance(seconds: 1)
        let third = try take(slots, 2)
        #expect(ended.list == [1])
        held[1].giveBack()
        expectFull(slots, 3)
        withExtendedLifetime((held, third)) {}
    }

    @Test("Work of many accounts is begun in turns of addresses, a few pieces at a time")
    func line() async throws {
        let line = FairLine(.reportLine, running: 1)
        let begun = Record()
        await line.turn()
        for (number, address) in ([1, 1, 1, 2] as [UInt128]).enumerated() {
            Task {
                await PoolClient.$current.withValue(PoolClient(PoolShare(address: address))) { await line.turn() }
                begun.add(address)
            }
            try await eventually("the work waits") { line.waiting > number }
        }
        for number in 0..<4 {
            line.end()
            try await eventually("the next work begins") { begun.list.count > number }
        }
        line.end()
        #expect(begun.list == [1, 2, 1, 1])
    }

    @Test("A slot returns once: when it is given back, or with its last reference")
    func held() throws {
        let slots = Self.slots(1, perAccount: 1)
        var slot: Slot? = try take(slots, 1)
        expectFull(slots, 2)
        slot?.giveBack()
        let other = try take(slots, 2)
        slot = nil
        expectFull(slots, 3)
        other.giveBack()
        slot = try take(slots, 1)
        expectFull(slots, 2)
        slot = nil
        _ = try take(slots, 2)
    }
}
