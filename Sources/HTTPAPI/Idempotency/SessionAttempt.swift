import LoyaltyCodec

/// A request to open or refresh a session.
///
/// One value for all of it: an asynchronous function of as many words of arguments did not find its way back in debug builds (Swift 6.3.1).
struct SessionAttempt: Sendable {
    /// What its key says it is; nil without one.
    let mark: RequestMark?
    /// Whether a session that was answered goes on; if not, the request is judged anew.
    let isOpen: @Sendable (OpenedSession) throws -> Bool
    /// Called before another request under the same key is refused: that may be a guess.
    var refused: @Sendable () throws -> Void = {}
    /// Does what is asked for. What it refuses is not remembered.
    let open: @Sendable () async throws -> OpenedSession
}
