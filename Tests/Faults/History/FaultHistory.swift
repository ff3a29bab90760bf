package import EventLog
import Seeds

/// The batches that a child appends. They are a pure function of the seed, so the seed determines every byte of the log.
package struct FaultHistory: Sendable {
    /// The ids of cards. There are few cards, so that each has many events.
    package static let cards: ClosedRange<Int> = 1...12
    /// The ids of shops. There are few shops, so that each has many events.
    package static let shops: ClosedRange<Int> = 1...3

    private var random: SeededRandom

    /// Starts the history of a seed.
    package init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Returns the events of the next commit, usually a few and sometimes hundreds. So power cuts hit both small commits and commits of
    /// many pages.
    package mutating func nextBatch() -> [NewEvent] {
        (0..<batchSize()).map { _ in event() }
    }

    private mutating func batchSize() -> Int {
        switch random.int(1...100) {
        case ...55: 1
        case ...85: random.int(2...8)
        case ...98: random.int(9...40)
        default: random.int(200...400)
        }
    }

    private mutating func event() -> NewEvent {
        var tags = [Tag(.card, UInt128(random.int(Self.cards))), Tag(.digest, UInt128(random.next()))]
        if !random.oneIn(4) { tags.append(Tag(.shop, UInt128(random.int(Self.shops)))) }
        return NewEvent(
            type: random.oneIn(3) ? .noted : .stamped, time: Timestamp(microseconds: Int64(random.int(0...1_000_000))),
            actor: UInt128(random.next()), tags: tags, payload: payload())
    }

    /// Returns a payload of a random size. Depending on the size, the event's record shares a page with others, fills much of a page, or
    /// needs several pages.
    private mutating func payload() -> [UInt8] {
        let count =
            switch random.int(1...200) {
            case ...160: random.int(0...60)
            case ...198: random.int(200...1_500)
            default: random.int(5_000...20_000)
            }
        // Each random number gives eight bytes, to save time, because each check generates the whole history again.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = random.next()
            for shift in 0..<8 as Range<UInt64> { bytes.append(UInt8(truncatingIfNeeded: word >> (shift * 8))) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
