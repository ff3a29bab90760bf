/// Why a request was not decided, or its outcome is not known.
public enum GroupCommitRefusal: Error, Sendable, Hashable {
    /// As many wait as may. Nothing was done; ask again later.
    case queueFull
    /// The writer is stopping, or a commit failed and nobody knows its outcome. The next opening of the log knows it.
    case stopped
}
