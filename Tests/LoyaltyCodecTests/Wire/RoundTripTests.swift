import EventLog
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

/// Every event can be encoded and decoded without a change.
struct RoundTripTests {
    @Test("A random event with its mark decodes to the same fact and mark")
    func randomEvents() throws {
        var events = RandomEvents(random: SeededRandom(seed: Seed.value &+ 1))
        for round in 0..<4_000 {
            let fact = Fact(
                position: UInt64(round + 1), time: events.time(), actor: events.id(),
                event: events.event(ofCase: round % RandomEvents.caseCount))
            let mark = events.mark()
            let new = try LoyaltyCodec.encode(fact.event, by: fact.actor, at: fact.time, mark: mark)
            let bytes = try Bytes.record(new)
            let owned = SequencedEvent(position: Position(fact.position), event: new)

            #expect(try Bytes.decode(bytes, at: fact.position) == fact)
            #expect(try LoyaltyCodec.decode(owned) == fact)
            #expect(try Bytes.mark(bytes) == mark)
            #expect(LoyaltyCodec.mark(of: owned) == mark)
        }
    }

    @Test("The tags of an encoded event ascend, and no kind except that of images occurs twice")
    func tagOrder() throws {
        var events = RandomEvents(random: SeededRandom(seed: Seed.value &+ 2))
        for round in 0..<400 {
            let event = events.event(ofCase: round % RandomEvents.caseCount)
            let tags = try LoyaltyCodec.encode(event, by: events.id(), at: events.time(), mark: events.mark()).tags
            #expect(tags == tags.sorted())
            // Images are the only kind of tag that may occur several times.
            let kinds = tags.map(\.kind).filter { $0 != .image }
            #expect(Set(kinds).count == kinds.count && Set(tags).count == tags.count)
        }
    }

    @Test("An event always encodes to the same bytes")
    func sameEventSameBytes() throws {
        var events = RandomEvents(random: SeededRandom(seed: Seed.value &+ 3))
        for _ in 0..<200 {
            let event = events.event()
            let first = try LoyaltyCodec.encode(event, by: AccountID(1), at: Sample.time, mark: nil)
            #expect(try LoyaltyCodec.encode(event, by: AccountID(1), at: Sample.time, mark: nil) == first)
        }
    }
}
