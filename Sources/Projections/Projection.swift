public import EventLog
public import LMDB

/// A read model: tables in its own LMDB environment, computed only from the log.
///
/// ``ModelRunner`` and ``ModelBuilder`` pass the model every event of its ``eventTypes`` exactly once, in ascending order of positions, and
/// store the position in the transaction that stores the rows. So a model needs no guard against repeated events. Its file is not flushed:
/// after a power failure the model is rebuilt.
public protocol Projection: Sendable {
    /// The model's folder and its name in tools. It MUST be a valid file name, and MUST never change.
    static var name: String { get }

    /// The version of the rows' schema. It MUST be raised whenever a change of the code produces different rows from the same events. At
    /// the next start, the model is then rebuilt. See ``compatibleVersions`` for the rows that are served until then.
    static var schemaVersion: Int { get }

    /// Older schema versions whose rows this code can still serve and update. The default is none.
    ///
    /// At the start, a stored generation of such a version is served and updated while a new one is built in the background. For each
    /// version named here, the current code MUST be able to read and write the rows in that version's tables.
    static var compatibleVersions: Set<Int> { get }

    /// The types of the events that the model receives. Events of other types are skipped.
    static var eventTypes: Set<EventType> { get }

    /// The tables with the model's content. The content MUST be a pure function of the applied events. It MUST NOT depend on the clock, on
    /// random numbers, or on the division of the events into batches.
    static var tables: [ModelTable] { get }

    /// The approximate number of bytes of memory that one changed entity needs until it is written. ``changes(in:)`` counts these entities.
    /// The number includes a share of the structures that find and sort changes. A rebuild computes the size of its batches from this
    /// number and the flag `--memory`.
    static var bytesPerChange: Int { get }

    /// Seconds to pause after each batch while the model follows the log. The default is none.
    ///
    /// After a pause, more events share a batch, and a page that several of these events change is written only once. Use a pause only for
    /// a model whose readers can wait.
    static var restSeconds: Double { get }

    /// Changes that have been applied but not yet written to the transaction. Only the thread that applies events uses them.
    associatedtype Pending

    /// Opens the model's tables. It MUST NOT change any row.
    init(_ store: ModelStore) throws(ReadModelError)

    /// Creates an empty set of changes.
    ///
    /// - Parameter cachedMax: the maximum number of decoded entities to keep from one batch to the next.
    func makePending(cachedMax: Int) -> Pending

    /// The number of entities that are changed in `pending` and not written yet. The caller uses it to limit memory.
    func changes(in pending: borrowing Pending) -> Int

    /// Applies one event.
    ///
    /// It MUST change only `pending` and `transaction`, so that its effect is undone if both are discarded. It MUST NOT judge whether the
    /// event is valid, because the log contains only accepted events. It may leave changes in `pending` for ``flush(_:in:)``. It is never
    /// called concurrently.
    ///
    /// - Throws: ``ReadModelError/Code/eventRefused`` for an event that the model cannot apply, which stops only this model;
    ///   ``ReadModelError/Code/damaged`` and ``ReadModelError/Code/storage``. After an error, the caller discards the transaction.
    @available(*, noasync)
    func apply(
        _ record: borrowing Record, at position: Position, to pending: inout Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError)

    /// Writes everything in `pending` into the transaction, which is committed next.
    ///
    /// It may keep copies of the written rows as a cache, provided that they always equal the rows. If the commit fails, the caller also
    /// discards `pending`.
    ///
    /// - Throws: like ``apply(_:at:to:in:)``.
    @available(*, noasync)
    func flush(_ pending: inout Pending, in transaction: inout WriteTransaction) throws(ReadModelError)
}

extension Projection {
    /// The default: rows of older schema versions are not served.
    public static var compatibleVersions: Set<Int> { [] }

    /// The default: 1 KiB, which suffices for a large entity.
    public static var bytesPerChange: Int { 1_024 }

    /// The default: no pause.
    public static var restSeconds: Double { 0 }

    /// Whether this code can serve rows of a schema version.
    static func reads(_ version: Int) -> Bool { version == schemaVersion || compatibleVersions.contains(version) }
}
