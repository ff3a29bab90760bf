internal import Loyalty

/// Events on their way from the log to the models: read once, whoever wants them.
struct ReplayBatch: Sendable {
    /// Few enough to stay in a core's cache while one model after the other takes them.
    static let size = 1_024

    /// In the order of the log.
    var events: [ReplayedEvent] = []
    /// The cards and shops that they name, in their order: until they are numbered, events are about none.
    var named: [NamedCard] = []
    /// Whether events have the numbers of what they name; models must not have them before.
    var isNumbered = false
    /// Those that had to be decoded.
    var facts: [Fact] = []
    /// What newly opened cards promise.
    var rewards: [TypedText] = []

    var isFull: Bool { events.count >= Self.size }

    @inline(__always)
    mutating func append(_ event: ReplayedEvent, naming name: NamedCard?) {
        events.append(event)
        if let name { named.append(name) }
    }

    /// Adds an event that was decoded. Out of line: a fact is a third of a kilobyte, and most events never are one.
    @inline(never)
    mutating func append(_ fact: borrowing Fact) {
        var event = ReplayedEvent(.decoded, at: fact.position, fact.time.microseconds)
        event.place = facts.count
        var name: NamedCard?
        if case .cardOpened(let card) = fact.event {
            event.amount = Int32(clamping: card.goal)
            name = NamedCard(
                opening: card.card.value, in: card.campaign.value, of: card.holder.value, at: card.shop.value, in: events.count)
        } else if let card = fact.event.card, let holder = fact.event.holder, let shop = fact.event.shop {
            name = NamedCard(card.value, of: holder.value, at: shop.value, in: events.count)
        } else if case .codeIssued(let issued) = fact.event {
            name = NamedCard(shop: issued.shop.value, in: events.count)
        }
        facts.append(copy fact)
        append(event, naming: name)
    }

    /// Gives up the events and keeps the room.
    mutating func removeAll() {
        isNumbered = false
        events.removeAll(keepingCapacity: true)
        named.removeAll(keepingCapacity: true)
        facts.removeAll(keepingCapacity: true)
        rewards.removeAll(keepingCapacity: true)
    }
}
