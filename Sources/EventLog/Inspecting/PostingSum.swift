internal import LMDB

/// What the postings of a run of neighbouring positions add up to: two sides that hold the same postings have the same sums.
///
/// Against damage and defects, not against an adversary: the index is derived, and nobody gains by a false one. The sum does not depend
/// on the order, so that a log, which is read by position, can be compared with an index, which is read by tag.
public struct PostingSum: Hashable, Sendable {
    /// Positions that are summed up together: those from `1 + n * positions` on.
    public static let positions: UInt64 = 8_192

    /// How many postings there are.
    public private(set) var count: UInt64 = 0
    private var sum: UInt64 = 0

    /// That of no postings.
    public init() {}

    /// Adds the postings of an event.
    ///
    /// - Parameter kinds: the kinds of tag that are indexed, by number.
    public mutating func add(_ record: borrowing Record, at position: UInt64, kinds: [Bool]) {
        let type = record.type
        for index in 0..<record.tagCount {
            let tag = record.tag(at: index)
            if kinds[Int(tag.kind.rawValue)] { add(tag.spread, type, position) }
        }
    }

    /// Adds a posting; the spread stands for the tag.
    mutating func add(_ spread: UInt64, _ type: EventType, _ position: UInt64) {
        var bits = (spread ^ UInt64(type.rawValue) &* 0x9E37_79B9_7F4A_7C15) &+ position &* 0xD1B5_4A32_D192_ED03
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        sum &+= bits ^ (bits >> 31)
        count += 1
    }

    /// Which sum a position belongs to.
    static func index(of position: UInt64) -> Int { Int((position - 1) / positions) }
}
