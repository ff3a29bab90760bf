/// What a member of staff did at one shop in one quarter, or a part of that: added up when rows are made.
struct MemberCount: Sendable {
    let quarter: UInt64
    /// Number of the member.
    let member: UInt32
    var codes: Int32 = 0
    var stamps: Int32 = 0
    var redeemed: Int32 = 0
    var reversed: Int32 = 0

    mutating func add(_ other: MemberCount) {
        codes &+= other.codes
        stamps &+= other.stamps
        redeemed &+= other.redeemed
        reversed &+= other.reversed
    }
}
