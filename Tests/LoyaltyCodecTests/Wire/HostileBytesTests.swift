import EventLog
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

/// Bytes may come from a damaged disk or from an attacker. Decoding always returns a fact or an error, and never crashes.
struct HostileBytesTests {
    @Test("A damaged record is refused, or decodes to a fact that can be encoded and printed")
    func records() throws {
        var events = RandomEvents(random: SeededRandom(seed: Seed.value &+ 4))
        var mutations = Mutations(random: SeededRandom(seed: Seed.value &+ 5))
        var decoded = 0
        for round in 0..<20_000 {
            let event = events.event(ofCase: round % RandomEvents.caseCount)
            let new = try LoyaltyCodec.encode(event, by: events.id(), at: events.time(), mark: events.mark())
            let bytes = mutations.mutate(try Bytes.record(new))
            guard let fact = try? Bytes.decode(bytes, at: 1) else { continue }
            decoded += 1
            try expectStable(fact, mark: try Bytes.mark(bytes))
        }
        #expect(decoded > 0)
    }

    @Test("A damaged payload is refused, or decodes to a fact that can be encoded and printed")
    func payloads() throws {
        var events = RandomEvents(random: SeededRandom(seed: Seed.value &+ 6))
        var mutations = Mutations(random: SeededRandom(seed: Seed.value &+ 7))
        for round in 0..<20_000 {
            let event = events.event(ofCase: round % RandomEvents.caseCount)
            var new = try LoyaltyCodec.encode(event, by: events.id(), at: events.time(), mark: nil)
            new.payload = mutations.mutate(new.payload)
            guard let fact = try? LoyaltyCodec.decode(SequencedEvent(position: Position(1), event: new)) else { continue }
            try expectStable(fact, mark: nil)
        }
    }

    @Test("Random bytes without tags are refused as an event of any type")
    func nonsenseIsRefused() {
        var random = SeededRandom(seed: Seed.value &+ 8)
        for type in LoyaltySchema.schema.types.keys {
            for _ in 0..<200 {
                let count = Int.random(in: 1...60, using: &random)
                let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                let event = NewEvent(type: type, time: Timestamp(microseconds: 0), payload: payload)
                #expect(throws: CodecError.self) {
                    try LoyaltyCodec.decode(SequencedEvent(position: Position(1), event: event))
                }
            }
        }
    }

    /// Checks that an accepted fact can be encoded, decoded again, and printed.
    private func expectStable(_ fact: Fact, mark: RequestMark?) throws {
        let again = try LoyaltyCodec.encode(fact.event, by: fact.actor, at: fact.time, mark: mark)
        #expect(try Bytes.decode(try Bytes.record(again), at: fact.position) == fact)
        #expect(!FactText.line(fact).isEmpty)
        #expect(!FactText.json(fact).contains("\n"))
    }
}
