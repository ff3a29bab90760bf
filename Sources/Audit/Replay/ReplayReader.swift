internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels
internal import Synchronization

/// Reads records into batches of events. It reads the most frequent events from the tags and payload bytes of their records, and decodes
/// all others to facts.
struct ReplayReader: Sendable {
    private let wanted: TypeFilter

    /// - Parameter types: the types of events to read. Events of other types are skipped.
    init(_ types: some Sequence<EventType>) {
        wanted = TypeFilter(types)
    }

    /// Adds a record's event to the batch, if a model reads its type.
    ///
    /// - Throws: an error of the codec if the record does not decode.
    @inline(__always)
    func read(_ record: borrowing Record, at position: Position, into batch: inout ReplayBatch) throws {
        guard wanted.contains(record.type) else { return }
        if readUndecoded(record, position.rawValue, into: &batch) { return }
        batch.append(try LoyaltyCodec.decode(record, at: position))
    }

    /// Reads the most frequent events without decoding.
    ///
    /// - Returns: false for an event that must be decoded.
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

/// A batch of events that were read from the log and are passed to all models. Each event is read once for all models.
struct ReplayBatch: Sendable {
    /// The maximum number of events. It is so small that a batch stays in a core's cache while all models process it.
    static let size = 1_024

    /// The events, oldest first.
    var events: [ReplayedEvent] = []
    /// The cards and shops that the events name, in the order of the events. The events receive the numbers of their cards and shops when
    /// `ReplayedNumbers` processes this list.
    var named: [NamedCard] = []
    /// Whether the events have the numbers of their cards and shops. This MUST be true before a batch is passed to models.
    var isNumbered = false
    /// The decoded events.
    var facts: [Fact] = []
    /// The rewards of the cards that this batch's events of the kind `opened` open. A decoded opening has its reward in its fact.
    var rewards: [TypedText] = []

    var isFull: Bool { events.count >= Self.size }

    @inline(__always)
    mutating func append(_ event: ReplayedEvent, naming name: NamedCard?) {
        events.append(event)
        if let name { named.append(name) }
    }

    /// Adds a decoded event. It is not inlined, because a fact takes a third of a kilobyte, and most events are never decoded.
    @inline(never)
    mutating func append(_ fact: borrowing Fact) {
        var event = ReplayedEvent(.decoded, at: fact.position, fact.time.microseconds)
        event.place = facts.count
        var name: NamedCard?
        if case .cardOpened(let card) = fact.event {
            event.amount = Int32(clamping: card.goal)
            name = NamedCard(
                opening: card.card.value, in: card.campaign.value, of: card.holder.value, at: card.campaignShop.value, in: events.count)
        } else if case .waitingCardTaken(let taken) = fact.event, let from = taken.from {
            name = NamedCard(
                taking: taken.card.value, of: from.value, by: taken.holder.value, at: taken.shop.value, in: events.count)
        } else if let card = fact.event.card, let holder = fact.event.holder, let shop = fact.event.home ?? fact.event.shop {
            name = NamedCard(card.value, of: holder.value, at: shop.value, in: events.count)
        } else if case .codeIssued(let issued) = fact.event {
            name = NamedCard(shop: issued.shop.value, in: events.count)
        }
        facts.append(copy fact)
        append(event, naming: name)
        if fact.event.card != nil, fact.event.home != nil, let shop = fact.event.shop {
            named.append(NamedCard(place: shop.value, in: events.count - 1))
        }
    }

    /// Removes the events and keeps their memory for the next events.
    mutating func removeAll() {
        isNumbered = false
        events.removeAll(keepingCapacity: true)
        named.removeAll(keepingCapacity: true)
        facts.removeAll(keepingCapacity: true)
        rewards.removeAll(keepingCapacity: true)
    }
}

/// One event in the form that replayed models read. Most events consist only of numbers, which are read from a record without decoding it.
///
/// Cards and shops are identified by the numbers of ``ReplayedNumbers``.
struct ReplayedEvent: Sendable {
    /// The kind of event.
    enum Kind: UInt8 {
        /// A `CardStamped` that puts one stamp on a card.
        case stamped
        /// A `CodeIssued`. ``amount`` is the number of the code's stamps.
        case issued
        /// A `CardOpened`. ``amount`` is the card's goal, and ``place`` the index of the reward in the batch's list of rewards.
        case opened
        case discarded
        case registered
        /// Any other event. The index of its fact in the batch's list of facts is ``place``.
        case decoded
    }

    /// The value of ``card``, ``shop`` or ``guest`` if the event has no such card or shop.
    static let none = UInt32.max

    let position: UInt64
    /// The event's time, in microseconds since 1970.
    let time: Int64
    let kind: Kind
    /// For the kinds `stamped` and `issued`, the number of stamps; for every opening of a card, decoded or not, the card's goal.
    var amount: Int32 = 0
    /// For the kind `opened`, the index of the card's reward in the batch's list of rewards. For the kind `decoded`, the index of the
    /// event's fact in the list of facts.
    var place = 0
    /// The number that the replay gave to the card; ``none`` if the event is about no card.
    var card = Self.none
    /// The number of the card's shop, or of the shop that issued the code; ``none`` if the event is neither about a card nor the issue of a
    /// code.
    var shop = Self.none
    /// The number of the shop at which the event happened, if that is not the card's own shop; otherwise ``none``.
    var guest = Self.none
    /// The code that was used or issued, the account that was registered, or the card that was discarded; 0 for the kinds `opened` and
    /// `decoded`.
    var id: UInt128 = 0
    /// The account that issued the code, for the kind `issued`; 0 for all others.
    var actor: UInt128 = 0

    init(_ kind: Kind, at position: UInt64, _ time: Int64) {
        (self.kind, self.position, self.time) = (kind, position, time)
    }

    /// The number of the shop at which the event happened.
    @inline(__always)
    var at: UInt32 { guest == Self.none ? shop : guest }

    /// The quarter of an hour in which the event happened, encoded as in a row's key.
    @inline(__always)
    var quarter: UInt64 { Quarter(of: Instant(microseconds: time)).key }
}

/// Batches that two threads pass to each other. The reading thread fills them, the other thread numbers and folds them, and then the
/// reading thread removes them from the queue in the same order. There are four batches, so that neither thread waits long for the other
/// one.
final class BatchQueue: Sendable {
    private static let batches = 4

    private struct State {
        var filled: [ReplayBatch] = []
        var done = Array(repeating: ReplayBatch(), count: batches)
    }

    private let state = Mutex(State())
    private let hasDone = ThreadSemaphore()
    /// A semaphore that is signalled once for each filled batch, and once more at the end.
    private let hasFilled = ThreadSemaphore()

    init() {
        for _ in 0..<Self.batches { hasDone.signal() }
    }

    /// Adds a filled batch to the queue for the other thread.
    func put(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.filled.append(batch) }
        hasFilled.signal()
    }

    /// Removes and returns the oldest batch that the other thread has finished. Blocks until there is one. The first four batches that it
    /// returns are new and empty.
    @available(*, noasync)
    func takeBack() -> ReplayBatch {
        hasDone.wait()
        return state.withLock { $0.done.removeFirst() }
    }

    /// Tells the other thread that no further batches will come.
    func close() { hasFilled.signal() }

    /// The batches that the other thread has finished and the reading thread has not removed yet. Read this only after the other thread has
    /// ended.
    var rest: [ReplayBatch] { state.withLock { $0.done } }

    /// Removes and returns the next filled batch; nil after the last batch. Blocks until there is a batch or the end.
    @available(*, noasync)
    func next() -> ReplayBatch? {
        hasFilled.wait()
        return state.withLock { $0.filled.isEmpty ? nil : $0.filled.removeFirst() }
    }

    /// Adds a finished batch to the queue for the reading thread.
    func giveBack(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.done.append(batch) }
        hasDone.signal()
    }
}
