import EventLog
import Loyalty
import LoyaltyCodec

/// One golden event with the name of its file. An existing golden event never changes.
struct Sample {
    /// The event type, the schema version and, if a type has several, the variant: `CardStamped.v1.three`.
    let name: String
    let event: LoyaltyEvent
    var mark: RequestMark?

    init(_ name: String, _ event: LoyaltyEvent, mark: RequestMark? = nil) {
        (self.name, self.event, self.mark) = (name, event, mark)
    }

    static let actor = AccountID(uuid(0xA0))
    /// The time 2026-11-21T09:00:00.123456Z.
    static let time = Instant(microseconds: 1_795_251_600_123_456)

    func encoded() throws -> NewEvent {
        try LoyaltyCodec.encode(event, by: Self.actor, at: Self.time, mark: mark)
    }

    /// A UUIDv7 that ends in `last`, which distinguishes the fields of a golden event.
    static func uuid(_ last: UInt8) -> UInt128 {
        0x0199_0A5D_AC96_774B_BCCE_B302_099A_8000 | UInt128(last)
    }

    static func id<Noun>(_ last: UInt8) -> ID<Noun> { ID(uuid(last)) }

    static func secret(_ last: UInt8) -> Secret {
        Secret(0xFEDC_BA98_7654_3210_0123_4567_89AB_CD00 | UInt128(last))
    }
}
