import LMDB
import Projections

/// Makes reports on shops, one at a time, on a thread of its own. A busy shop's report reads a million rows in one snapshot, in a second or
/// two; two such reports on the tasks' threads would stop a small machine.
///
/// The thread has the usual priority, because a model's file grows while a snapshot is held. The callers bound the queue. Other requests
/// hardly wait for this thread, so its rows cost little (``Limits/reportRowsPerRow``).
final class ReportQueue: Sendable {
    private let thread = FairThread("greentea.reports", .reportThread)

    /// Runs `work` on the queue's thread by turns.
    ///
    /// - Throws: an error of `work`.
    func make<Report: Sendable>(
        _ work: @escaping @Sendable () throws(ReadModelError) -> Report
    ) async throws(ReadModelError) -> Report {
        let (payer, meter) = (ReadMeter.current, ReadMeter())
        let result: Result<Report, ReadModelError> = await withCheckedContinuation { continuation in
            thread.async {
                let result: Result<Report, ReadModelError>
                do throws(ReadModelError) {
                    result = .success(try ReadMeter.running(under: meter, work))
                } catch {
                    result = .failure(error)
                }
                continuation.resume(returning: result)
            }
        }
        payer?.add(meter.rows / Limits.reportRowsPerRow)
        return try result.get()
    }
}
