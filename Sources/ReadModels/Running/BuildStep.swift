public import EventLog

/// What a rebuild has just done, for progress, and for tests that end it there.
public enum BuildStep: Sendable, Hashable {
    /// A generation is open, empty or with what an earlier attempt got done.
    case opened(generation: String, at: Position)
    /// A batch is stored; the log's head at that moment.
    case advanced(Position, head: Position)
    /// The content is about to be compared with a replay.
    case checking(Position)
    /// Checked, flushed and sealed.
    case closed(Position)
    /// The server was asked, or is about to be replaced by the tool itself where none runs.
    case offered
    /// The new generation is in use.
    case switched
}
