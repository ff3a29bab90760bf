public import EventLog
public import LMDB

/// A read model: tables in its own LMDB environment, computed only from the log. After a power failure it is rebuilt.
///
/// The model gets each event of its ``eventTypes`` exactly once, in order, and its position is stored with its rows.
public protocol Projection: Sendable {
    /// The model's folder and its name in tools. It MUST never change.
    static var name: String { get }

    /// The version of the rows' schema. It MUST be raised with every change of the code that produces different rows.
    static var schemaVersion: Int { get }

    /// Older schema versions that are served and updated until a new generation is built. The code MUST be able to read and write their
    /// rows.
    static var compatibleVersions: Set<Int> { get }

    static var eventTypes: Set<EventType> { get }

    /// The tables with the content, which MUST be a pure function of the applied events, independent of the clock and of batches.
    static var tables: [ModelTable] { get }

    /// Approximate memory of one changed entity until it is written. A rebuild computes its batches from it.
    static var bytesPerChange: Int { get }

    /// Seconds to pause after each batch while the model follows the log. Only for a model whose readers can wait.
    static var restSeconds: Double { get }

    /// Applied changes that are not yet in the transaction. Only the thread that applies events uses them.
    associatedtype Pending

    init(_ store: ModelStore) throws(ReadModelError)

    func makePending(cachedMax: Int) -> Pending

    func changes(in pending: borrowing Pending) -> Int

    /// Applies one event. Never called concurrently.
    ///
    /// It MUST change only `pending` and `transaction`, so that discarding both undoes it. It MUST NOT judge the event's validity, because
    /// the log contains only accepted events.
    ///
    /// - Throws: ``ReadModelError/Code/eventRefused`` for an event that the model cannot apply, which stops only this model.
    @available(*, noasync)
    func apply(
        _ record: borrowing Record, at position: Position, to pending: inout Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError)

    /// Writes everything in `pending` into the transaction, which is committed next. It may cache written rows: if the commit fails,
    /// `pending` is discarded too.
    ///
    /// - Throws: like ``apply(_:at:to:in:)``.
    @available(*, noasync)
    func flush(_ pending: inout Pending, in transaction: inout WriteTransaction) throws(ReadModelError)
}

extension Projection {
    public static var compatibleVersions: Set<Int> { [] }

    public static var bytesPerChange: Int { 1_024 }

    public static var restSeconds: Double { 0 }

    static func reads(_ version: Int) -> Bool { version == schemaVersion || compatibleVersions.contains(version) }
}
