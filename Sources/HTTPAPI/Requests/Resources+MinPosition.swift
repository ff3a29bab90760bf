import CommandService
import EventLog
import Hummingbird
import ReadModels

extension Resources {
    /// Waits until the read models have reached the position that the client names, for reading its own writes.
    ///
    /// - Parameter reports: whether those of statistics and journeys are read too; they rest between batches, and others need not wait.
    /// - Throws: `notCaughtUp` after the named time, `invalidRequest` for what is no position.
    func awaitMinPosition(of request: Request, reports: Bool = false) async throws {
        guard let text = request.headers.text(of: .greenTeaMinPosition) else { return }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let position = UInt64(text) else {
            throw Problem.invalid("", "the GreenTea-Min-Position header must be a position")
        }
        let reached = await service.models.reached(
            Position(rawValue: position), timeoutSeconds: Limits.minPositionSecondsMax, without: reports ? [] : GreenTea.reportModels)
        guard reached else { throw Problem(.notCaughtUp, retryAfterSeconds: 1) }
    }
}
