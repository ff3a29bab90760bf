internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// When a campaign runs.
public struct CampaignTimes: Hashable, Sendable {
    public let startsAt: Instant
    /// As it says itself.
    public let endsAt: Instant
    /// When it was ended before that.
    public let endedAt: Instant?
    /// Position of the last event that changed the campaign.
    public let version: UInt64

    package init(startsAt: Instant, endsAt: Instant, endedAt: Instant?, version: UInt64) {
        (self.startsAt, self.endsAt, self.endedAt, self.version) = (startsAt, endsAt, endedAt, version)
    }

    /// When it is over, one way or the other.
    public var overAt: Instant { min(endedAt ?? endsAt, endsAt) }

    /// Starts, ends, ended i64, microseconds, the least number for never; version u64; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: startsAt.microseconds)
        row.append(littleEndian: endsAt.microseconds)
        row.append(littleEndian: endedAt?.microseconds ?? .min)
        row.append(littleEndian: version)
    }

    /// Nil when the bytes are not a row.
    package init?(_ row: Span<UInt8>) {
        guard row.count == 32 else { return nil }
        func time(_ place: Int) -> Instant { Instant(microseconds: Int64(bitPattern: row.littleEndian64(at: place))) }
        let ended = time(16)
        self.init(
            startsAt: time(0), endsAt: time(8), endedAt: ended.microseconds == .min ? nil : ended, version: row.littleEndian64(at: 24))
    }

    /// A row in one line for people.
    static func text(_ row: Span<UInt8>) -> String? {
        guard let times = CampaignTimes(row) else { return nil }
        let ended = times.endedAt.map { ", ended \($0.rfc3339)" } ?? ""
        return "from \(times.startsAt.rfc3339) to \(times.endsAt.rfc3339)\(ended), last changed at position \(times.version)"
    }
}
