internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels
internal import Synchronization

/// Reads records into batches of events, the most frequent ones without decoding.
struct ReplayReader: Sendable {
    private let wanted: TypeFilter

    init(_ types: some Sequence<EventType>) { wanted = TypeFilter(types) }

    /// Adds a record's event to the batch, if a model reads its type.
    ///
    /// - Throws: an error of the codec if the record does not decode.
    @inline(__always)
    func read(_ record: borrowing Record, at position: Position, into batch: inout ReplayBatch) throws {
        guard wanted.contains(record.type) else { return }
        if readUndecoded(record, position.rawValue, into: &batch) { return }
        batch.append(try LoyaltyCodec.decode(record, at: position))
    }

    /// Returns false for an event that must be decoded.
    @inline(__always)
    private func readUndecoded(_ record: borrowing Record, _ position: UInt64, into batch: inout ReplayBatch) -> Bool {
        let (time, place) = (record.time.microseconds, batch.events.count)
        if let stamp = SingleStamp(record) {
            var event = ReplayedEvent(.stamped, at: position, time)
            (event.id, event.amount) = (stamp.code, 1)
            batch.append(event, naming: NamedCard(.going, stamp.card, of: stamp.holder, at: stamp.shop, in: place))
        } else if let code = IssuedCode(record) {
            var event = ReplayedEvent(.issued, at: position, time)
            (event.id, event.amount, event.actor) = (code.code, Int32(code.stamps), record.actor)
            batch.append(event, naming: NamedCard(.none, at: code.shop, in: place))
        } else if let card = OpenedCard(record) {
            var event = ReplayedEvent(.opened, at: position, time)
            (event.amount, event.place) = (Int32(card.goal), batch.rewards.count)
            batch.rewards.append(OpenedCard.reward(of: record))
            batch.append(event, naming: NamedCard(.opening, card.card, of: card.holder, at: card.shop, detail: card.campaign, in: place))
        } else if let card = DiscardedCard(record) {
            var event = ReplayedEvent(.discarded, at: position, time)
            event.id = card.card
            batch.append(event, naming: NamedCard(.going, card.card, of: card.holder, at: card.shop, in: place))
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

struct ReplayBatch: Sendable {
    static let size = 1_024

    var events: [ReplayedEvent] = []
    /// The cards and shops that the events name, which `ReplayedNumbers` numbers.
    var named: [NamedCard] = []
    /// MUST be true before a batch is passed to models.
    var isNumbered = false
    var facts: [Fact] = []
    /// The rewards of undecoded openings.
    var rewards: [TypedText] = []

    var isFull: Bool { events.count >= Self.size }

    @inline(__always)
    mutating func append(_ event: ReplayedEvent, naming name: NamedCard?) {
        events.append(event)
        if let name { named.append(name) }
    }

    /// Not inlined, because a fact takes a third of a kilobyte and is rare.
    @inline(never)
    mutating func append(_ fact: borrowing Fact) {
        var event = ReplayedEvent(.decoded, at: fact.position, fact.time.microseconds)
        event.place = facts.count
        var name: NamedCard?
        if case .cardOpened(let card) = fact.event {
            event.amount = Int32(clamping: card.goal)
            name = NamedCard(
                .opening, card.card.value, of: card.holder.value, at: card.campaignShop.value, detail: card.campaign.value,
                in: events.count)
        } else if case .waitingCardTaken(let taken) = fact.event, let from = taken.from {
            name = NamedCard(.taking, taken.card.value, of: from.value, at: taken.shop.value, detail: taken.holder.value, in: events.count)
        } else if let card = fact.event.card, let holder = fact.event.holder, let shop = fact.event.home ?? fact.event.shop {
            name = NamedCard(.going, card.value, of: holder.value, at: shop.value, in: events.count)
        } else if case .codeIssued(let issued) = fact.event {
            name = NamedCard(.none, at: issued.shop.value, in: events.count)
        }
        facts.append(copy fact)
        append(event, naming: name)
        if fact.event.card != nil, fact.event.home != nil, let shop = fact.event.shop {
            named.append(NamedCard(.guest, at: shop.value, in: events.count - 1))
        }
    }

    mutating func removeAll() {
        isNumbered = false
        events.removeAll(keepingCapacity: true)
        named.removeAll(keepingCapacity: true)
        facts.removeAll(keepingCapacity: true)
        rewards.removeAll(keepingCapacity: true)
    }
}

/// One event in the form that replayed models read, with the numbers of ``ReplayedNumbers``.
struct ReplayedEvent: Sendable {
    enum Kind: UInt8 {
        case stamped
        /// ``amount`` is the number of stamps.
        case issued
        /// ``amount`` is the goal, ``place`` the index of the reward.
        case opened
        case discarded
        case registered
        /// Any other event; ``place`` is the index of its fact.
        case decoded
    }

    /// No card or shop.
    static let none = UInt32.max

    let position: UInt64
    /// Microseconds since 1970.
    let time: Int64
    let kind: Kind
    /// Stamps, or the goal of an opened card.
    var amount: Int32 = 0
    /// The index of the reward or the fact.
    var place = 0
    var card = Self.none
    /// The card's shop, or the shop that issued the code.
    var shop = Self.none
    /// The shop of the event, if it is not the card's own.
    var guest = Self.none
    /// The code, the registered account or the discarded card, if any.
    var id: UInt128 = 0
    /// The issuer of a code.
    var actor: UInt128 = 0

    init(_ kind: Kind, at position: UInt64, _ time: Int64) { (self.kind, self.position, self.time) = (kind, position, time) }

    /// The shop at which the event happened.
    @inline(__always)
    var at: UInt32 { guest == Self.none ? shop : guest }

    /// Encoded as in a row's key.
    @inline(__always)
    var quarter: UInt64 { Quarter(of: Instant(microseconds: time)).key }
}

/// Batches that two threads exchange in order. There are four, so that neither thread waits long.
final class BatchQueue: Sendable {
    private static let batches = 4

    private struct State {
        var filled: [ReplayBatch] = []
        var done = Array(repeating: ReplayBatch(), count: batches)
    }

    private let state = Mutex(State())
    private let hasDone = ThreadSemaphore()
    /// Signalled once for each filled batch, and once at the end.
    private let hasFilled = ThreadSemaphore()

    init() { for _ in 0..<Self.batches { hasDone.signal() } }

    func put(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.filled.append(batch) }
        hasFilled.signal()
    }

    /// Returns the oldest finished batch, and blocks until there is one. The first four are new and empty.
    @available(*, noasync)
    func takeBack() -> ReplayBatch {
        hasDone.wait()
        return state.withLock { $0.done.removeFirst() }
    }

    func close() { hasFilled.signal() }

    /// Read this only after the other thread has ended.
    var rest: [ReplayBatch] { state.withLock { $0.done } }

    /// Nil after the last one. Blocks.
    @available(*, noasync)
    func next() -> ReplayBatch? {
        hasFilled.wait()
        return state.withLock { $0.filled.isEmpty ? nil : $0.filled.removeFirst() }
    }

    func giveBack(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.done.append(batch) }
        hasDone.signal()
    }
}
