public import EventLog
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Takes down what somebody thinks of the service, sealed under their own key.
    public func giveFeedback(_ text: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let sealed = try seal(text, as: .feedbackText, of: caller.account)
        return try await submit(.giveFeedback(GiveFeedback(text: sealed)), by: caller)
    }

    /// What people told the operator, newest first, for operators alone; the texts as they are sealed.
    ///
    /// The first call looks through the whole log, each later one through what came since; off the cooperative threads.
    ///
    /// - Parameters:
    ///   - before: exclusive; nil begins with the newest.
    ///   - limit: how many at most.
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read.
    public func feedback(before: Position? = nil, limit: Int) async throws(ServiceError) -> [Fact] {
        let (log, given) = (log, feedbackGiven)
        do {
            return try await blocking {
                try given.newest(in: log, before: before, limit: limit).compactMap { position in
                    try log.event(at: position).map { try LoyaltyCodec.decode($0) }
                }
            }
        } catch {
            throw .failed(String(describing: error))
        }
    }
}
