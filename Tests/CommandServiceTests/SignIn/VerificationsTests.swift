import Loyalty
import Seeds
import Testing

@testable import CommandService

/// Codes sent to phones: six digits, five minutes, five tries, once.
@Suite struct VerificationsTests {
    private let verifications = Verifications(randomness: SeededRandomness(seed: Seed.value))
    private let now = HandClock.start

    @Test func theRightCodeWorksOnce() {
        let code = verifications.begin(for: phone(1), now: now)
        #expect(code.count == 6 && code.allSatisfy(\.isNumber))
        #expect(verifications.spend(code, for: phone(1), now: now))
        #expect(!verifications.spend(code, for: phone(1), now: now))
    }

    @Test func itIsOfItsOwnPhoneOnly() {
        let code = verifications.begin(for: phone(1), now: now)
        #expect(!verifications.spend(code, for: phone(2), now: now))
        #expect(verifications.spend(code, for: phone(1), now: now))
    }

    @Test func itExpiresToTheMicrosecond() {
        let expiry = now.advanced(bySeconds: 300)
        let early = verifications.begin(for: phone(1), now: now)
        #expect(verifications.spend(early, for: phone(1), now: Instant(microseconds: expiry.microseconds - 1)))
        let late = verifications.begin(for: phone(1), now: now)
        #expect(!verifications.spend(late, for: phone(1), now: expiry))
        #expect(!verifications.spend(late, for: phone(1), now: now), "and stays void when the clock goes back")
    }

    @Test func fiveWrongCodesVoidIt() {
        for wrong in 0...5 {
            let code = verifications.begin(for: phone(1), now: now)
            for _ in 0..<wrong { #expect(!verifications.spend("000x00", for: phone(1), now: now)) }
            #expect(verifications.spend(code, for: phone(1), now: now) == (wrong < 5), "after \(wrong) wrong ones")
        }
    }

    @Test func aNewCodeVoidsTheOneBefore() {
        let first = verifications.begin(for: phone(1), now: now)
        var second = verifications.begin(for: phone(1), now: now)
        while second == first { second = verifications.begin(for: phone(1), now: now) }
        #expect(!verifications.spend(first, for: phone(1), now: now))
        #expect(verifications.spend(second, for: phone(1), now: now))
    }

    /// A flood of requests takes no more than so much memory; the oldest code gives way, the newest works.
    @Test func aFloodIsBoundedAndTheOldestGivesWay() throws {
        let flood = Verifications.pendingMax
        let oldest = verifications.begin(for: try number(0), now: now)
        let later = now.advanced(bySeconds: 1)
        var newest = ""
        for index in 1...flood { newest = verifications.begin(for: try number(index), now: later) }
        #expect(!verifications.spend(oldest, for: try number(0), now: later))
        #expect(verifications.spend(newest, for: try number(flood), now: later))
    }

    @Test(arguments: [
        "", "+", "8613800138000", "+0613800138000", "+861380", "+8613800138000123", "+86138 0013", "+86138001380a", "＋8613800138000",
    ])
    func whatIsNoE164NumberIsNone(text: String) { #expect(E164Number(text) == nil) }

    @Test(arguments: ["+86138001", "+8613800138000", "+123456789012345"])
    func whatIsOneIsKeptAsItIs(text: String) { #expect(E164Number(text)?.text == text) }

    private func number(_ index: Int) throws -> E164Number { try #require(E164Number("+1\(2_000_000_000 + index)")) }
}
