import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Takes down what somebody thinks of the service, sealed under their own key.
    public func giveFeedback(_ text: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let sealed = try await seal(text, as: .feedbackText, of: caller.account)
        return try await submit(.giveFeedback(GiveFeedback(text: sealed)), by: caller)
    }
}
