import Archive
import Audit
import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Testing

/// Lists of events, selected by type, by tag, and by the position or time at which the list ends.
@Suite struct ListingTests {
    private func list(_ listing: EventListing, _ data: TestData) throws -> [Fact] {
        var facts: [Fact] = []
        try listing.forEach(in: try data.log(.readOnly)) {
            facts.append($0)
            return true
        }
        return facts
    }

    @Test("All events are listed in the order of the log")
    func allEvents() throws {
        let sample = try AuditSample("listing")
        #expect(try list(EventListing(), sample.data) == sample.history.facts)
    }

    @Test("Events are selected by their type, by a tag and by the position at which the list ends")
    func selection() throws {
        let sample = try AuditSample("choice")
        let facts = sample.history.facts
        let stamped = facts.filter { if case .cardStamped = $0.event { true } else { false } }
        #expect(try list(EventListing(type: .cardStamped), sample.data) == stamped)
        let card = try #require(stamped[0].event.card)
        let tag = Tag(.card, card.value)
        #expect(try list(EventListing(tag: tag), sample.data) == facts.filter { $0.event.card == card })
        let both = EventListing(type: .cardStamped, tag: tag, until: .position(Position(stamped[0].position)))
        #expect(try list(both, sample.data) == [stamped[0]])
    }

    @Test("A listing stops as soon as its caller returns false")
    func callerStops() throws {
        let sample = try AuditSample("enough", count: 100)
        var seen = 0
        let count = try EventListing().forEach(in: try sample.data.log(.readOnly)) { _ in
            seen += 1
            return seen < 5
        }
        #expect(seen == 5 && count == 5)
    }

    @Test("A folder without a log is refused with an error that names its path")
    func noLog() throws {
        let data = TestData()
        let error = #expect(throws: AuditError.self) { try AuditedFolder(data.path) }
        #expect(error?.code == .missing)
        #expect(error?.description.contains(data.path) == true)
    }
}
