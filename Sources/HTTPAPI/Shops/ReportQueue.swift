import LMDB
import Projections

/// Makes reports on shops, one at a time, on a thread of its own.
///
/// A report on a very busy shop reads a million rows, which takes a second or two. There are as many threads of tasks as processors, so two
/// such reports on these threads would stop all requests of a small machine. All rows of a shop are read in one snapshot, which no task may
/// hold while it waits, so the reading cannot let other tasks run in between.
///
/// The thread has the usual priority, because a model's file grows while a snapshot is held. The callers limit the number of reports that
/// wait. Others hardly wait for this thread, so its rows cost only a part of what others cost (``Limits/reportRowsPerRow``): an owner may
/// look at many reports on a very busy shop.
final class ReportQueue: Sendable {
    private let thread = FairThread("greentea.reports", .reportThread)

    /// Calls a closure on the queue's thread, when it is the turn of the client, and returns its result.
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
