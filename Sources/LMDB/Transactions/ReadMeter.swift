internal import Synchronization

/// Counts the rows that one request looks at, and charges them to its payers while it continues.
///
/// Every ``Snapshot`` takes the meter of the task that opens it, so no read can forget to count. Work that moves to another thread MUST
/// take the meter along. Any thread may call.
package final class ReadMeter: Sendable {
    /// Charges a payer for further rows.
    package typealias Charge = @Sendable (_ rows: Int) -> Void

    /// Nil for work that nobody pays for, such as that of models.
    @TaskLocal package static var current: ReadMeter?

    private let counted = Atomic(0)
    private let charges = Mutex<[String: Charge]>([:])

    package init() {}

    package var rows: Int { counted.load(ordering: .relaxed) }

    /// Charges later rows to a payer, in steps of ``Limits/rowsPerCharge``, in place of an earlier charge of that name.
    package func charge(_ payer: String, _ charge: @escaping Charge) { charges.withLock { $0[payer] = charge } }

    /// Counts rows, and charges full steps.
    package func add(_ rows: Int) {
        let (before, now) = counted.add(rows, ordering: .relaxed)
        let steps = now / Limits.rowsPerCharge - before / Limits.rowsPerCharge
        guard steps > 0 else { return }
        // Outside the lock, because each charge takes a lock of its own.
        for charge in charges.withLock({ Array($0.values) }) { charge(steps * Limits.rowsPerCharge) }
    }

    /// Runs synchronous work under a meter, or under none, on any thread.
    package static func running<Value, Failure: Error>(
        under meter: ReadMeter?, _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let meter else { return try work() }
        // `withValue` would lose the type of the error.
        let outcome = $current.withValue(meter) { Result(catching: work) }
        return try outcome.get()
    }
}
