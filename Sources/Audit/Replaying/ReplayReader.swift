internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

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
            let event = ReplayedEvent(.discarded, at: position, time)
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
