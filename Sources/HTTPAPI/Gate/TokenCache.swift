import Caches
import Loyalty

/// The verified tokens, by their whole text, and the sessions that ended since.
///
/// A value for one `Mutex`. Bounded: tokens are kept in two generations of limited size. An ended session is remembered until its last
/// token has expired. If there are too many ended sessions, all tokens are forgotten, which costs time but admits nobody.
struct TokenCache {
    private var tokens: GenerationalCache<String, VerifiedToken>
    /// The ended sessions, each with the moment at which it may be forgotten.
    private var ended: [SessionID: Instant] = [:]
    /// Raised when everything is forgotten: a token verified before must not be stored after.
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
