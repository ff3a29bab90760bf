internal import EventLog
internal import LoyaltyCodec

extension Record {
    /// Whether nothing stands behind so many tags but the two marks of the request that it came from, or nothing at all.
    @inline(__always)
    func hasRequestAtMost(behind count: Int) -> Bool {
        if tagCount == count { return true }
        return tagCount == count + 2 && tag(at: count).kind == .request && tag(at: count + 1).kind == .digest
    }
}
