internal import Synchronization

/// Counts the rows that one request looks at, and charges them to its payers while the request continues.
///
/// Every ``Snapshot`` takes the meter of the task or thread that opens it and counts each row, found or passed over. So a read cannot
/// forget to count. Work that moves to another thread MUST take the meter along. Any thread may call.
package final class ReadMeter: Sendable {
    /// Receives a number of further rows.
    package typealias Charge = @Sendable (_ rows: Int) -> Void

    /// The meter of the current task; nil for work that nobody pays for, such as that of models.
    @TaskLocal package static var current: ReadMeter?

    private let counted = Atomic(0)
    private let charges = Mutex<[String: Charge]>([:])

    package init() {}

    /// The rows counted so far.
    package var rows: Int { counted.load(ordering: .relaxed) }

    /// Charges the rows that are counted from now on to a payer, in steps of ``Limits/rowsPerCharge``. Replaces an earlier charge to a
    /// payer of this name.
    package func charge(_ payer: String, _ charge: @escaping Charge) {
        charges.withLock { $0[payer] = charge }
    }

    /// Counts further rows, and charges them as soon as enough have come together.
    package func add(_ rows: Int) {
        let (before, now) = counted.add(rows, ordering: .relaxed)
        let steps = now / Limits.rowsPerCharge - before / Limits.rowsPerCharge
        guard steps > 0 else { return }
        // The charges are called outside the lock, because each takes a lock of its own.
        for charge in charges.withLock({ Array($0.values) }) { charge(steps * Limits.rowsPerCharge) }
    }

    /// Runs synchronous work under a meter, on any thread; without one under none.
    package static func running<Result, Failure: Error>(
        under meter: ReadMeter?, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let meter else { return try work() }
        let outcome = $current.withValue(meter) { Swift.Result(catching: work) }
        return try outcome.get()
    }
}
