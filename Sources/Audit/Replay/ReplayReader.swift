internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels
internal import Synchronization

/// Reads records into batches: the hottest events from their tags, the others decoded.
struct ReplayReader: Sendable {
    private let wanted: TypeFilter

    /// - Parameter types: events of others are passed over.
    init(_ types: some Sequence<EventType>) {
        wanted = TypeFilter(types)
    }

    /// Adds a record's event to the batch, if anybody wants it.
    ///
    /// - Throws: what the codec says against it.
    @inline(__always)
    func read(_ record: borrowing Record, at position: Position, into batch: inout ReplayBatch) throws {
        guard wanted.contains(record.type) else { return }
        if readUndecoded(record, position.rawValue, into: &batch) { return }
        batch.append(try LoyaltyCodec.decode(record, at: position))
    }

    /// - Returns: false for an event that is left to the codec.
    @inline(__always)
    private func readUndecoded(_ record: borrowing Record, _ position: UInt64, into batch: inout ReplayBatch) -> Bool {
        let (time, place) = (record.time.microseconds, batch.events.count)
        if let stamp = SingleStamp(record) {
            var event = ReplayedEvent(.stamped, at: position, time)
            (event.id, event.amount) = (stamp.code, 1)
            batch.append(event, naming: NamedCard(stamp.card, of: stamp.holder, at: stamp.shop, in: place))
        } else if let code = IssuedCode(record) {
            var event = ReplayedEvent(.issued, at: position, time)
            (event.id, event.amount, event.actor) = (code.code, Int32(code.stamps), record.actor)
            batch.append(event, naming: NamedCard(shop: code.shop, in: place))
        } else if let card = OpenedCard(record) {
            var event = ReplayedEvent(.opened, at: position, time)
            (event.amount, event.place) = (Int32(card.goal), batch.rewards.count)
            batch.rewards.append(OpenedCard.reward(of: record))
            let name = NamedCard(opening: card.card, in: card.campaign, of: card.holder, at: card.shop, in: place)
            batch.append(event, naming: name)
        } else if let card = DiscardedCard(record) {
            var event = ReplayedEvent(.discarded, at: position, time)
            event.id = card.card
            batch.append(event, naming: NamedCard(card.card, of: card.holder, at: card.shop, in: place))
        } else if let account = RegisteredAccount(record) {
            var event = ReplayedEvent(.registered, at: position, time)
            event.id = account.account
            batch.append(event, naming: nil)
        } else {
            return false
        }
        return true
    }
}

/// Events on their way from the log to the models. Each is read once for all models.
struct ReplayBatch: Sendable {
    /// Few enough to stay in a core's cache while one model after the other takes them.
    static let size = 1_024

    /// The events, in the order of the log.
    var events: [ReplayedEvent] = []
    /// The cards and shops that they name, in their order: until they are numbered, events are about none.
    var named: [NamedCard] = []
    /// Whether events have the numbers of what they name; models must not have them before.
    var isNumbered = false
    /// The events that had to be decoded.
    var facts: [Fact] = []
    /// The rewards of newly opened cards.
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

/// One event as replayed models take it: what most events say, in numbers, without decoding them.
///
/// Cards and shops go by the numbers that ``ReplayedNumbers`` gave them.
struct ReplayedEvent: Sendable {
    /// The kind of event.
    enum Kind: UInt8 {
        /// A `CardStamped` of one stamp.
        case stamped
        /// A `CodeIssued`: ``amount`` stamps.
        case issued
        /// A `CardOpened`: ``amount`` is the goal, ``place`` that of the reward in the batch.
        case opened
        case discarded
        case registered
        /// Any event, whose fact stands at ``place`` in the batch.
        case decoded
    }

    /// Number of a card or a shop that the event has none of.
    static let none = UInt32.max

    let position: UInt64
    /// Microseconds since 1970.
    let time: Int64
    let kind: Kind
    /// Stamps, or a goal.
    var amount: Int32 = 0
    /// The index of further data about it in the batch.
    var place = 0
    /// Number of the card that it is about.
    var card = Self.none
    /// Number of the shop that it is about, of those about a card or a code.
    var shop = Self.none
    /// The code of a stamp or of an issue; the account of a registration; a card that is discarded.
    var id: UInt128 = 0
    /// The account that issued the code.
    var actor: UInt128 = 0

    init(_ kind: Kind, at position: UInt64, _ time: Int64) {
        (self.kind, self.position, self.time) = (kind, position, time)
    }

    /// The quarter of an hour in which it happened, as a key's.
    @inline(__always)
    var quarter: UInt64 { Quarter(of: Instant(microseconds: time)).key }
}

/// Batches between two threads: the one that reads the log fills them, the other one numbers and folds them, and the first one gets them
/// back, in the same order. There are a few, so that neither waits long.
final class BatchQueue: Sendable {
    private static let batches = 4

    private struct State {
        var filled: [ReplayBatch] = []
        var done = Array(repeating: ReplayBatch(), count: batches)
    }

    private let state = Mutex(State())
    private let hasDone = ThreadSemaphore()
    /// Once more than there are filled ones when no more will come.
    private let hasFilled = ThreadSemaphore()

    init() {
        for _ in 0..<Self.batches { hasDone.signal() }
    }

    /// Hands on a batch.
    func put(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.filled.append(batch) }
        hasFilled.signal()
    }

    /// The batch that has been with the other thread longest, which is through with it; waits for it. The first few are empty.
    @available(*, noasync)
    func takeBack() -> ReplayBatch {
        hasDone.wait()
        return state.withLock { $0.done.removeFirst() }
    }

    /// No more will come.
    func close() { hasFilled.signal() }

    /// The batches that were returned and not taken, once the other thread has ended.
    var rest: [ReplayBatch] { state.withLock { $0.done } }

    /// The next batch; waits for it. Nil when no more will come.
    @available(*, noasync)
    func next() -> ReplayBatch? {
        hasFilled.wait()
        return state.withLock { $0.filled.isEmpty ? nil : $0.filled.removeFirst() }
    }

    /// Gives back what was worked on.
    func giveBack(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.done.append(batch) }
        hasDone.signal()
    }
}
