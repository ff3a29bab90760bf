import Loyalty
import Testing

@Suite struct InstantTests {
    @Test("An instant that is advanced past either end of time stays at that end")
    func saturates() {
        #expect(Instant(microseconds: 5).advanced(bySeconds: 2) == Instant(microseconds: 2_000_005))
        #expect(Instant(microseconds: 5).advanced(bySeconds: .max) == Instant(microseconds: .max))
        #expect(Instant(microseconds: 5).advanced(bySeconds: .min) == Instant(microseconds: .min))
        #expect(Instant(microseconds: .max).advanced(bySeconds: 1) == Instant(microseconds: .max))
        #expect(Instant(microseconds: .min).advanced(bySeconds: -1) == Instant(microseconds: .min))
    }
}
