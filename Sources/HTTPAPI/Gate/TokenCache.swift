import Caches
import Loyalty

/// The verified tokens, by the whole `Authorization` header, and the recently ended sessions, in bounded memory. If too many ended sessions
/// may have valid tokens, everything is forgotten: each token is then verified again, which refuses those of ended sessions.
struct TokenCache {
    private var tokens: GenerationalCache<String, VerifiedToken>
    /// With the moment at which each may be forgotten.
    private var ended: [SessionID: Instant] = [:]
    /// Raised when all tokens are forgotten. A token whose verification began earlier must not be stored, because its session may have
    /// ended since.
    private(set) var epoch = 0
    private let endedMax: Int

    init(tokensMax: Int = Limits.cachedTokensMax, endedMax: Int = Limits.endedSessionsMax) {
        tokens = GenerationalCache(limit: tokensMax)
        self.endedMax = endedMax
    }

    mutating func find(_ token: String) -> VerifiedToken? {
        guard let found = tokens[token] else { return nil }
        return isEnded(found) ? nil : found
    }

    mutating func insert(_ token: VerifiedToken, as text: String, since epoch: Int) {
        if epoch == self.epoch { tokens[text] = token }
    }

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

    private func isEnded(_ token: VerifiedToken) -> Bool { !ended.isEmpty && ended[token.bearer.session] != nil }
}
