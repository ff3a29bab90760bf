public import EventLog
public import LMDB
public import Loyalty

/// A read model: tables in an LMDB environment of their own, computed from the log alone.
///
/// Whoever runs one (``ModelRunner``, ``ModelBuilder``) hands it every event of its ``eventTypes`` once, in the order of the log,
/// and stores the position in the transaction that stores the data. So a model never sees an event twice, and needs no guard
/// against it. A model is not flushed: when the machine stops without warning, it is built anew.
public protocol Projection: Sendable {
    /// The model's folder and its name in tools. MUST be a valid file name, and never change.
    static var name: String { get }

    /// MUST be raised whenever the rows for the same events change: then the model is built anew at the next start.
    /// See ``compatibleVersions`` for how it is served meanwhile.
    static var schemaVersion: Int { get }

    /// Older schema versions whose rows this code still reads and follows; none unless a model says otherwise.
    ///
    /// A stored generation of such a version is served and followed at the start, while a new one is built in the background. Each
    /// version named here MUST be read and written by the present code without an error, in the tables that it has.
    static var compatibleVersions: Set<Int> { get }

    /// The only events that it is given. Others are skipped before they are decoded.
    static var eventTypes: Set<EventType> { get }

    /// Its canonical content. MUST be a pure function of the events applied: no clock, no chance, no dependence on batches.
    static var tables: [ModelTable] { get }

    /// Bytes of memory that one of ``changes(in:)`` takes until it is written, about, its part in what finds and sorts it included:
    /// so many changes does a rebuild gather that they fit into its memory.
    static var bytesPerChange: Int { get }

    /// How long it rests after each batch while it follows the log; none unless a model says otherwise.
    ///
    /// What comes meanwhile is one batch, which touches a page once that several batches would have touched: worth it for a model that
    /// answers to writes do not wait for.
    static var restSeconds: Double { get }

    /// What has been applied and is not in the transaction yet; it lives on the one thread that applies.
    associatedtype Pending

    /// Opens its tables. MUST change nothing.
    init(_ store: ModelStore) throws(ReadModelError)

    /// Begins with nothing applied.
    ///
    /// - Parameter cachedMax: entities that it may keep decoded from one batch to the next.
    func makePending(cachedMax: Int) -> Pending

    /// How many entities are changed in `pending` and not flushed: the caller bounds its memory by it.
    func changes(in pending: borrowing Pending) -> Int

    /// Applies one event.
    ///
    /// It MUST be done entirely in `pending` and `transaction`, so that dropping both undoes it, and MUST NOT judge: what the
    /// log says happened, happened. It may leave changes in `pending` for ``flush(_:in:)``. Never called twice at once.
    ///
    /// - Throws: ``ReadModelError/Code/eventRefused`` for an event that it can make no sense of, which stops this model alone;
    ///   ``ReadModelError/Code/damaged`` and ``ReadModelError/Code/storage``. The caller drops the transaction.
    @available(*, noasync)
    func apply(_ fact: Fact, to pending: inout Pending, in transaction: inout WriteTransaction) throws(ReadModelError)

    /// Applies one event straight from its record, where that saves decoding the hottest ones. It may refuse to: models need not
    /// have this.
    ///
    /// What it does MUST be what ``apply(_:to:in:)`` does with the decoded event.
    ///
    /// - Returns: false where nothing was done and the event is to be decoded.
    /// - Throws: as ``apply(_:to:in:)``.
    @available(*, noasync)
    func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool

    /// Brings everything from `pending` into the transaction, which is committed next.
    ///
    /// It may keep copies of what it wrote, and MUST NOT if they could differ from the rows. When the commit fails, the caller
    /// drops `pending` too.
    ///
    /// - Throws: as ``apply(_:to:in:)``.
    @available(*, noasync)
    func flush(_ pending: inout Pending, in transaction: inout WriteTransaction) throws(ReadModelError)
}

extension Projection {
    /// No other version can be read.
    public static var compatibleVersions: Set<Int> { [] }

    /// That of something large.
    public static var bytesPerChange: Int { 1_024 }

    /// It goes on at once.
    public static var restSeconds: Double { 0 }

    /// Whether this code serves rows of a schema version.
    static func reads(_ version: Int) -> Bool { version == schemaVersion || compatibleVersions.contains(version) }

    /// Nothing is applied undecoded.
    @available(*, noasync)
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        false
    }
}
