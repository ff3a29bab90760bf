/// Where a stamp code stands, as the shop that issued it sees it.
public enum CodeStatus: UInt8, Hashable, Sendable, CaseIterable {
    case open = 1
    case used = 2
    case destroyed = 3
    case expired = 4
}
