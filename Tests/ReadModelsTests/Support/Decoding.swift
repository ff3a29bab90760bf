import EventLog
import LMDB
import Loyalty

@testable import Projections
@testable import ReadModels

/// Wraps a model, so that every event is decoded and none is read in place.
struct Decoding<Base: ReadModel>: ReadModel {
    static var name: String { Base.name }
    static var schemaVersion: Int { Base.schemaVersion }
    static var eventTypes: Set<EventType> { Base.eventTypes }
    static var tables: [ModelTable] { Base.tables }

    private let base: Base
    var store: ModelStore { base.store }

    init(_ store: ModelStore) throws(ReadModelError) { base = try Base(store) }

    func makePending(cachedMax: Int) -> Base.Pending { base.makePending(cachedMax: cachedMax) }

    func changes(in pending: borrowing Base.Pending) -> Int { base.changes(in: pending) }

    @available(*, noasync)
    func apply(_ fact: Fact, to pending: inout Base.Pending, in transaction: inout WriteTransaction) throws(ReadModelError) {
        try base.apply(fact, to: &pending, in: &transaction)
    }

    @available(*, noasync)
    func flush(_ pending: inout Base.Pending, in transaction: inout WriteTransaction) throws(ReadModelError) {
        try base.flush(&pending, in: &transaction)
    }
}
