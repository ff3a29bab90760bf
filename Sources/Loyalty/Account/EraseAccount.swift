/// Erase the actor.
public struct EraseAccount: Hashable, Sendable {
    public init() {}
}
