import EventLog
import LMDB
import Loyalty

@testable import Projections
@testable import ReadModels

/// A model that mishandles the event of the bug seeded for its folder, and delegates all other events to `Base`.
struct Faulty<Base: ReadModel>: ReadModel {
    static var name: String { Base.name }
    static var schemaVersion: Int { Base.schemaVersion }
    static var eventTypes: Set<EventType> { Base.eventTypes }
    static var tables: [ModelTable] { Base.tables }

    private let base: Base
    var store: ModelStore { base.store }
    private let fault: Fault?

    init(_ store: ModelStore) throws(ReadModelError) {
        base = try Base(store)
        fault = Fault.below(store.directory)
    }

    func makePending(cachedMax: Int) -> Base.Pending { base.makePending(cachedMax: cachedMax) }

    func changes(in pending: borrowing Base.Pending) -> Int { base.changes(in: pending) }

    @available(*, noasync)
    func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout Base.Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        if fault?.position == position.rawValue { return false }
        return try base.applyUndecoded(record, at: position, to: &pending, in: &transaction)
    }

    @available(*, noasync)
    func apply(_ fact: Fact, to pending: inout Base.Pending, in transaction: inout WriteTransaction) throws(ReadModelError) {
        guard let fault, fault.position == fact.position else { return try base.apply(fact, to: &pending, in: &transaction) }
        let (position, time) = (fact.position, fact.time)
        switch fault.kind {
        case .otherDay:
            let other = Fact(position: position, time: time.advanced(bySeconds: 86_400), actor: fact.actor, event: fact.event)
            try base.apply(other, to: &pending, in: &transaction)
        case .otherPlace:
            let other = Fact(position: position + 1_000, time: time, actor: fact.actor, event: fact.event)
            try base.apply(other, to: &pending, in: &transaction)
        case .skipped: break
        case .refused: throw ReadModelError(.eventRefused, model: Base.name, "it was told to refuse")
        }
    }

    @available(*, noasync)
    func flush(_ pending: inout Base.Pending, in transaction: inout WriteTransaction) throws(ReadModelError) {
        try base.flush(&pending, in: &transaction)
    }
}
