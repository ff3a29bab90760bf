/// Some of what was found, in the order asked for.
public struct FoundPage<Noun>: Sendable {
    public let items: [Found<Noun>]
    /// What to ask for to go on; nil where this was the last page.
    public let next: DiscoveryCursor?
}
