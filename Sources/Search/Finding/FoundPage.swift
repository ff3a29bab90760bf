/// Some of what was found, in the order asked for.
public struct FoundPage<Noun>: Sendable {
    public let items: [Found<Noun>]
    /// What to ask for to go on; nil where this was the last page.
    ///
    /// A page may hold fewer items than were asked for, or none, and go on all the same: it ends where enough was looked at.
    public let next: DiscoveryCursor?
    /// Rows that were looked at for it, at most ``SearchLimits/looksMax``.
    package let looks: Int
}
