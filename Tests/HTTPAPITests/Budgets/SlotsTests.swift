import Testing

@testable import HTTPAPI

@Suite("Slots")
struct SlotsTests {
    private func expectFull(_ slots: Slots<Int>, _ key: Int) {
        do {
            try slots.take(key)
            Issue.record("the key got a slot")
        } catch {
            #expect(error.code == .overloaded && error.retryAfterSeconds == Limits.slotRetrySeconds)
        }
    }

    @Test("Slots are limited in total and per key, and a returned slot can be taken again")
    func bounded() throws {
        let slots = Slots<Int>(3, perKey: 2)
        try slots.take(1)
        try slots.take(1)
        expectFull(slots, 1)
        try slots.take(2)
        expectFull(slots, 3)
        slots.giveBack(1)
        try slots.take(3)
        expectFull(slots, 1)
        for key in [1, 2, 3] { slots.giveBack(key) }
        for _ in 0..<2 { try slots.take(7) }
        expectFull(slots, 7)
        try slots.take(8)
    }

    @Test("A held slot returns once: when it is given back, or with its last reference")
    func held() throws {
        let slots = Slots<Int>(1, perKey: 1)
        var slot: HeldSlot<Int>? = try HeldSlot(slots, 1)
        expectFull(slots, 2)
        slot?.giveBack()
        try slots.take(2)
        slot = nil
        expectFull(slots, 3)
        slots.giveBack(2)
        slot = try HeldSlot(slots, 1)
        #expect(throws: Problem.self) { try HeldSlot(slots, 1) }
        expectFull(slots, 2)
        slot = nil
        try slots.take(2)
    }

    @Test("Image uploads from 100 accounts fit at once, but each account may have only a few")
    func pictures() throws {
        let slots = Slots<Int>(Limits.imagesReceivedMax, perKey: Limits.imagesReceivedPerAccountMax)
        for account in 0..<100 { try slots.take(account) }
        for _ in 1..<Limits.imagesReceivedPerAccountMax { try slots.take(0) }
        expectFull(slots, 0)
    }
}
