public import Loyalty

/// Why a command got no acceptance.
public enum ServiceError: Error, Hashable, Sendable {
    /// The rules refuse it; nothing was changed.
    case rejected(Rejection)
    /// The same idempotency key was used for a different request.
    case idempotencyKeyReused
    /// A verification code was not looked at: too many wrong ones; worth another try after so many seconds.
    case tooManyTries(seconds: Int64)
    /// The writer's queue is full; nothing was changed; try again in a moment.
    case overloaded
    /// The service is shutting down, or it stopped for good after a commit of unknown outcome. Retrying the request with its
    /// idempotency key after the restart gives the truth.
    case stopping
    /// Reading the log failed. The text is for the operator's log, never for the client.
    case failed(String)
}
