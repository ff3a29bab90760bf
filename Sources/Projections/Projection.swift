public import EventLog
public import LMDB

/// A read model: tables in an LMDB environment of their own, computed from the log alone.
///
/// ``ModelRunner`` and ``ModelBuilder`` hand it every event of its ``eventTypes`` exactly once, in the order of the log, and store the
/// position in the transaction that stores the rows. So a model needs no guard against repeated events. Its file is not flushed: after a
/// power cut the model is rebuilt.
public protocol Projection: Sendable {
    /// The model's folder and its name in tools. MUST be a valid file name, and never change.
    static var name: String { get }

    /// MUST be raised whenever the rows for the same events change. The next start then rebuilds the model.
    /// See ``compatibleVersions`` for how it is served meanwhile.
    static var schemaVersion: Int { get }

    /// Older schema versions whose rows this code still reads and follows. The default is none.
    ///
    /// A stored generation of such a version is served and followed at the start, while a new one is built in the background. Each
    /// version named here MUST be read and written by the present code without an error, in the tables that it has.
    static var compatibleVersions: Set<Int> { get }

    /// The types of the events that the model receives. Others are skipped.
    static var eventTypes: Set<EventType> { get }

    /// The model's canonical content. MUST be a pure function of the events applied: no clock, no chance, no dependence on batches.
    static var tables: [ModelTable] { get }

    /// The approximate memory of one of ``changes(in:)`` until it is written, in bytes, with its share of the tables that find and sort
    /// it. A rebuild sizes its batches by it.
    static var bytesPerChange: Int { get }

    /// Seconds to pause after each batch while the model follows the log. The default is none.
    ///
    /// One larger batch dirties each page once. Use a pause for models that answers to writes do not wait for.
    static var restSeconds: Double { get }

    /// The changes that were applied and are not in the transaction yet. Only the thread that applies events uses it.
    associatedtype Pending

    /// Opens the model's tables. MUST change nothing.
    init(_ store: ModelStore) throws(ReadModelError)

    /// Makes an empty set of changes.
    ///
    /// - Parameter cachedMax: how many entities it may keep decoded from one batch to the next.
    func makePending(cachedMax: Int) -> Pending

    /// The number of entities that are changed in `pending` and not flushed. The caller bounds its memory by it.
    func changes(in pending: borrowing Pending) -> Int

    /// Applies one event.
    ///
    /// It MUST change nothing but `pending` and `transaction`, so that dropping both undoes it, and it MUST NOT judge the event: the log
    /// holds accepted events only. It may leave changes in `pending` for ``flush(_:in:)``. It is never called concurrently.
    ///
    /// - Throws: ``ReadModelError/Code/eventRefused`` for an event that the model cannot apply, which stops this model alone;
    ///   ``ReadModelError/Code/damaged`` and ``ReadModelError/Code/storage``. The caller drops the transaction.
    @available(*, noasync)
    func apply(
        _ record: borrowing Record, at position: Position, to pending: inout Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError)

    /// Writes everything in `pending` into the transaction, which is committed next.
    ///
    /// It may keep copies of the written rows as a cache, provided that they cannot differ from the rows. If the commit fails, the caller
    /// drops `pending` too.
    ///
    /// - Throws: as ``apply(_:at:to:in:)``.
    @available(*, noasync)
    func flush(_ pending: inout Pending, in transaction: inout WriteTransaction) throws(ReadModelError)
}

extension Projection {
    /// No older version.
    public static var compatibleVersions: Set<Int> { [] }

    /// 1 KiB, the size of a large change.
    public static var bytesPerChange: Int { 1_024 }

    /// No pause.
    public static var restSeconds: Double { 0 }

    /// Whether this code can serve rows of a schema version.
    static func reads(_ version: Int) -> Bool { version == schemaVersion || compatibleVersions.contains(version) }
}
