import Loyalty
import LoyaltyCodec
import Testing

struct UUIDv7Tests {
    /// Appendix A.6, with the time 2022-02-22T19:22:22.000Z.
    @Test("The time and random bits of the example of RFC 9562 give its UUID")
    func theExampleOfTheRFC() {
        let made = UUIDv7.make(at: Instant(microseconds: 1_645_557_742_000_000), random: (0xCC3, 0x18C4_DC0C_0C07_398F))
        #expect(made == 0x017F_22E2_79B0_7CC3_98C4_DC0C_0C07_398F)
    }

    @Test("The random bits of a UUID do not change its version, variant and time")
    func fixedBits() {
        for random: (UInt64, UInt64) in [(0, 0), (.max, .max), (1 << 12, 1 << 62)] {
            let made = UUIDv7.make(at: Sample.time, random: random)
            #expect(made >> 76 & 0xF == 7)
            #expect(made >> 62 & 0b11 == 0b10)
            #expect(made >> 80 == UInt128(Sample.time.microseconds / 1_000))
        }
    }

    @Test("A UUID of a later millisecond sorts after one of an earlier millisecond")
    func laterSortsAfter() {
        let early = UUIDv7.make(at: Instant(microseconds: 1_999), random: (.max, .max))
        let late = UUIDv7.make(at: Instant(microseconds: 2_000), random: (0, 0))
        #expect(early < late)
    }

    @Test("A time outside of the UUID's range becomes the nearest time that fits")
    func nearestTime() {
        #expect(UUIDv7.make(at: Instant(microseconds: -1), random: (0, 0)) >> 80 == 0)
        #expect(UUIDv7.make(at: Instant(microseconds: .max), random: (0, 0)) >> 80 == 1 << 48 - 1)
    }
}
