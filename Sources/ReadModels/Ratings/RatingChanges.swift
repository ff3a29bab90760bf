/// What a batch changed: first cards, of which there are many, are not in the rows yet. Reviews are rare, and go straight into the
/// transaction.
public struct RatingChanges {
    /// By shop and account.
    var holders = FirstPositions()
    /// Rows that were written straight into the transaction, whose pages are held until it ends.
    var written = 0

    var count: Int { holders.count + written }
}
