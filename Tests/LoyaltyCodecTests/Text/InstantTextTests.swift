import Foundation
import Loyalty
import LoyaltyCodec
import Testing

struct InstantTextTests {
    @Test(
        "An instant is shown as RFC 3339 in UTC with milliseconds, and the text is read back",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_251_600_123_456, "2026-11-21T09:00:00.123Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000Z"), (-2_203_891_200_000_001, "1900-02-28T23:59:59.999Z"),
            (-2_203_891_200_000_000, "1900-03-01T00:00:00.000Z"), (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000Z"), (-62_167_219_200_000_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func shows(_ microseconds: Int64, _ text: String) throws {
        #expect(Instant(microseconds: microseconds).rfc3339 == text)
        let read = try #require(Instant(rfc3339: text))
        #expect(read.microseconds == Instant(microseconds: microseconds).microseconds / 1_000 * 1_000 || microseconds < 0)
        #expect(read.rfc3339 == text)
    }

    @Test(
        "An RFC 3339 time with any offset and fraction is read to the microsecond",
        arguments: [
            ("2026-11-21T09:00:00Z", 1_795_251_600_000_000), ("2026-11-21T17:00:00+08:00", 1_795_251_600_000_000),
            ("2026-11-21T04:30:00-04:30", 1_795_251_600_000_000), ("2026-11-21T09:00:00-00:00", 1_795_251_600_000_000),
            ("2026-11-21T09:00:00.1Z", 1_795_251_600_100_000), ("2026-11-21T09:00:00.12Z", 1_795_251_600_120_000),
            ("2026-11-21T09:00:00.123456Z", 1_795_251_600_123_456), ("2026-11-21T09:00:00.000001+00:00", 1_795_251_600_000_001),
            ("2024-02-29T23:59:59.999999Z", 1_709_251_199_999_999), ("1970-01-01T00:00:00+23:59", -86_340_000_000),
            ("2026-11-21t09:00:00z", 1_795_251_600_000_000), ("2026-11-21 09:00:00.5Z", 1_795_251_600_500_000),
            ("2026-11-21T09:00:00.0000000Z", 1_795_251_600_000_000), ("2026-11-21T17:00:00.123456789+08:00", 1_795_251_600_123_456),
            ("2026-11-21t09:00:00.99999999999999999999999999999999999999999999z", 1_795_251_600_999_999),
            ("1969-12-31T23:59:59.9999999Z", -1),
        ] as [(String, Int64)])
    func reads(_ text: String, _ microseconds: Int64) {
        #expect(Instant(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(
        "A text that is not an RFC 3339 time is refused",
        arguments: [
            "", "2026-11-21", "2026-11-21T09:00:00", "2026-11-21T09:00Z", "2026-11-21  09:00:00Z", "2026-11-21_09:00:00Z",
            "2026-11-21T09:00:00.Z", "2026-11-21T09:00:00.1234567", "2026-11-21T09:00:00,1Z", "2026-11-21T24:00:00Z",
            "2026-11-21T09:60:00Z", "2026-11-21T09:00:60Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-32T00:00:00Z", "2026-04-31T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
            "2026-11-21T09:00:00+8:00", "2026-11-21T09:00:00+08", "2026-11-21T09:00:00+0800", "2026-11-21T09:00:00+24:00",
            "2026-11-21T09:00:00+08:60", "2026-11-21T09:00:00Z ", " 2026-11-21T09:00:00Z", "2026-11-21T09:00:00ZZ", "26-11-21T09:00:00Z",
            "+2026-11-21T09:00:00Z", "12026-11-21T09:00:00Z", "2026-1-21T09:00:00Z", "2026-11-21T09:00:00.-1Z", "２026-11-21T09:00:00Z",
            "2026-11-21T-9:00:00Z", "2026-11-30T23:59:61Z", "2026-11-29T23:59:60Z", "2026-11-30T23:59:60+01:00", "2026-12-01T00:59:60Z",
            "2026-11-21T09:00:00." + String(repeating: "0", count: 200) + "Z",
        ])
    func refuses(_ text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test("A leap second at the end of a month in UTC is the last microsecond before the next day, and no other :60 is a time")
    func leapSecond() throws {
        let last = try #require(Instant(rfc3339: "2016-12-31T23:59:59.999999Z"))
        for text in ["2016-12-31T23:59:60Z", "2016-12-31t23:59:60.75z", "2017-01-01T07:59:60+08:00", "2016-12-31T15:59:60.0-08:00"] {
            #expect(Instant(rfc3339: text) == last, "\(text)")
        }
    }

    @Test("The text of an instant agrees with Foundation's calendar over thousands of years")
    func likeFoundation() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for day in stride(from: -200_000, through: 800_000, by: 97) {
            let seconds = Int64(day) * 86_400 + 43_201
            let instant = Instant(microseconds: seconds * 1_000_000 + 250_000)
            let date = Date(timeIntervalSince1970: Double(seconds) + 0.25)
            guard seconds > -12_000_000_000 else { continue }
            #expect(instant.rfc3339 == date.formatted(style))
            #expect(Instant(rfc3339: instant.rfc3339) == instant)
        }
    }

    @Test("The first and the last instant that can be stored can be shown")
    func extremes() {
        #expect(Instant(microseconds: .max).rfc3339 == "294247-01-10T04:00:54.775Z")
        #expect(Instant(microseconds: .min).rfc3339 == "-290308-12-21T19:59:05.224Z")
    }
}
