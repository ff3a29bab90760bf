import Loyalty
import Testing

@testable import HTTPAPI

@Suite("token cache")
struct TokenCacheTests {
    private let now = Instant(microseconds: 0)

    private func token(_ session: UInt128) -> VerifiedToken {
        VerifiedToken(
            bearer: SignedInAs(account: AccountID(1), session: SessionID(session)), issuedAt: now,
            expiresAt: now.advanced(bySeconds: 900))
    }

    @Test("finds what was put in, by its whole text alone")
    func finds() {
        var cache = TokenCache()
        cache.insert(token(1), as: "Bearer one", since: cache.epoch)
        #expect(cache.find("Bearer one") == token(1))
        #expect(cache.find("Bearer on") == nil)
        #expect(cache.find("Bearer onf") == nil)
    }

    @Test("an ended session's tokens are gone, whether they came before or come after")
    func ended() {
        var cache = TokenCache()
        let epoch = cache.epoch
        cache.insert(token(1), as: "before", since: epoch)
        cache.insert(token(2), as: "other", since: epoch)
        cache.end(SessionID(1), now: now)
        cache.insert(token(1), as: "after", since: epoch)
        #expect(cache.find("before") == nil)
        #expect(cache.find("after") == nil)
        #expect(cache.find("other") == token(2))
    }

    @Test("tokens are bounded; what is used stays")
    func bounded() {
        var cache = TokenCache(tokensMax: 4)
        for number in 0..<12 {
            cache.insert(token(UInt128(number)), as: "\(number)", since: cache.epoch)
            #expect(cache.find("0") != nil)
        }
        #expect(cache.find("1") == nil)
        #expect(cache.find("11") != nil)
    }

    @Test("too many ended sessions forget everything, and let nobody back in")
    func endedBounded() {
        var cache = TokenCache(endedMax: 2)
        let epoch = cache.epoch
        cache.insert(token(1), as: "one", since: epoch)
        for session in 1...3 { cache.end(SessionID(UInt128(session)), now: now) }
        #expect(cache.find("one") == nil)
        // It was verified before everything was forgotten, so the end of its session may have been forgotten with it.
        cache.insert(token(1), as: "one", since: epoch)
        #expect(cache.find("one") == nil)
        cache.insert(token(4), as: "four", since: cache.epoch)
        #expect(cache.find("four") == token(4))
    }

    @Test("an ended session is forgotten when its last token is over")
    func endedForgotten() {
        var cache = TokenCache(endedMax: 2)
        cache.end(SessionID(1), now: now)
        cache.end(SessionID(2), now: now)
        cache.end(SessionID(3), now: now.advanced(bySeconds: 961))
        #expect(cache.epoch == 0)
    }
}
