import Loyalty
import Testing

@testable import HTTPAPI

@Suite("Token cache")
struct TokenCacheTests {
    private let now = Instant(microseconds: 0)

    private func token(_ session: UInt128) -> VerifiedToken {
        VerifiedToken(
            bearer: SignedInAs(account: AccountID(1), session: SessionID(session)), issuedAt: now,
            expiresAt: now.advanced(bySeconds: 900))
    }

    @Test("A token is found by its whole text only")
    func finds() {
        var cache = TokenCache()
        cache.insert(token(1), as: "Bearer one", since: cache.epoch)
        #expect(cache.find("Bearer one") == token(1))
        #expect(cache.find("Bearer on") == nil)
        #expect(cache.find("Bearer onf") == nil)
    }

    @Test("Tokens of an ended session are not found, whether cached before or after its end")
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

    @Test("The number of tokens is bounded, and a token in use is kept")
    func bounded() {
        var cache = TokenCache(tokensMax: 4)
        for number in 0..<12 {
            cache.insert(token(UInt128(number)), as: "\(number)", since: cache.epoch)
            #expect(cache.find("0") != nil)
        }
        #expect(cache.find("1") == nil)
        #expect(cache.find("11") != nil)
    }

    @Test("Too many ended sessions clear the whole cache without readmitting an ended session")
    func endedBounded() {
        var cache = TokenCache(endedMax: 2)
        let epoch = cache.epoch
        cache.insert(token(1), as: "one", since: epoch)
        for session in 1...3 { cache.end(SessionID(UInt128(session)), now: now) }
        #expect(cache.find("one") == nil)
        // The token was verified before the cache was cleared, so the cache refuses it. The clearing may also have removed the record that
        // the token's session has ended.
        cache.insert(token(1), as: "one", since: epoch)
        #expect(cache.find("one") == nil)
        cache.insert(token(4), as: "four", since: cache.epoch)
        #expect(cache.find("four") == token(4))
    }

    @Test("An ended session is forgotten once its last token has expired")
    func endedForgotten() {
        var cache = TokenCache(endedMax: 2)
        cache.end(SessionID(1), now: now)
        cache.end(SessionID(2), now: now)
        cache.end(SessionID(3), now: now.advanced(bySeconds: 961))
        #expect(cache.epoch == 0)
    }
}
