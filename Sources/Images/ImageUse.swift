/// What the log says of a picture that is kept.
public enum ImageUse: Hashable, Sendable {
    /// Something refers to it.
    case used
    /// Nothing does: it is removed, once nobody has said for a while that they are about to.
    case unused
    /// An operator has taken it down: it is removed at once.
    case takenDown
}
