/// In which order a list of discoveries comes.
public enum DiscoverySort: String, Hashable, Sendable, CaseIterable {
    /// The nearest first, of equals the older first.
    case distance
    /// The one that was made last first.
    case newest
    /// What most accounts keep first, of equals the newer first.
    case popular
}
