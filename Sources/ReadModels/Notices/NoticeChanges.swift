/// What a batch changed and is not in the rows yet: accounts and first cards, of which there are many. Notices are rare, and go
/// straight into the transaction.
public struct NoticeChanges {
    /// New accounts and the positions of their registrations, in the order of the log.
    var members: [(account: UInt128, since: UInt64)] = []
    /// By account and shop.
    var holders = FirstPositions()
    /// Rows that were written straight into the transaction, whose pages are held until it ends.
    var written = 0

    var count: Int { members.count + holders.count + written }
}
