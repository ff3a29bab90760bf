import Caches
import Loyalty

/// The verified tokens, by the whole `Authorization` header, and the sessions that ended recently.
///
/// The owner keeps this value in a `Mutex`. Its size is bounded: tokens are kept in two generations of limited size, and an ended session
/// is kept at least until its last token has expired. If there are too many ended sessions whose tokens may be valid, all tokens and ended
/// sessions are forgotten. Then each token must be verified again, and the verification refuses the tokens of ended sessions.
struct TokenCache {
    private var tokens: GenerationalCache<String, VerifiedToken>
    /// The ended sessions, each with the moment at which it may be forgotten.
    private var ended: [SessionID: Instant] = [:]
    /// A number that is raised whenever all tokens are forgotten. A token whose verification began under an earlier number must not be
    /// stored, because its session may have ended since.
    private(set) var epoch = 0
    private let endedMax: Int

    init(tokensMax: Int = Limits.cachedTokensMax, endedMax: Int = Limits.endedSessionsMax) {
        tokens = GenerationalCache(limit: tokensMax)
        self.endedMax = endedMax
    }

    /// The verified token, unless its session has ended.
    mutating func find(_ token: String) -> VerifiedToken? {
        guard let found = tokens[token] else { return nil }
        return isEnded(found) ? nil : found
    }

    mutating func insert(_ token: VerifiedToken, as text: String, since epoch: Int) {
        if epoch == self.epoch { tokens[text] = token }
    }

    /// Ends a session: none of its tokens is found from now on.
    mutating func end(_ session: SessionID, now: Instant) {
        if ended.count >= endedMax { ended = ended.filter { $0.value > now } }
        if ended.count >= endedMax { forgetEverything() }
        ended[session] = now.advanced(bySeconds: Limits.accessTokenSeconds + Limits.accessTokenLeadSecondsMax)
    }

    private mutating func forgetEverything() {
        tokens.removeAll()
        ended = [:]
        epoch += 1
    }

    private func isEnded(_ token: VerifiedToken) -> Bool {
        !ended.isEmpty && ended[token.bearer.session] != nil
    }
}
