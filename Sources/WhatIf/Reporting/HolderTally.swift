/// What the report says of one account: twelve bytes, for there may be millions.
struct HolderTally: Hashable {
    var stamps: Int32 = 0
    var filled: Int32 = 0
    var redeemed: Int32 = 0

    mutating func add(_ tally: Tally) {
        stamps &+= Int32(clamping: tally.stamps)
        filled &+= Int32(clamping: tally.filled)
        redeemed &+= Int32(clamping: tally.redeemed)
    }
}
