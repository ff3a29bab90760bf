public import Loyalty

/// What a stream has for its reader.
public enum LiveItem: Hashable, Sendable {
    /// In the order of the log; never none.
    case events([Fact])
    /// Nothing has happened for a while: a word that the stream is still there is due.
    case beat
    case ended(LiveEnding)
}
