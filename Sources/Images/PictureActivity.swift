/// How much work pictures make, for operators.
public struct PictureActivity: Sendable {
    /// A limit that keeps pictures from being made.
    public enum Limit: String, Sendable, CaseIterable {
        /// Too many waited, or one waited too long.
        case queue
        /// The child took longer than it may by the clock.
        case clock
        /// The child used up its processor seconds.
        case processor
        /// The kernel killed the child, since the machine had no memory left.
        case memory
        /// Pixels, scans, or more memory than one picture may take.
        case size
        /// The child wrote what is no answer.
        case output
        /// The child crashed, as by a fault of a codec that the file was made for.
        case crash
    }

    /// Jobs with a thread of their own, each with at most one child.
    public internal(set) var running = 0
    /// Jobs that wait for one.
    public internal(set) var waiting = 0
    /// Children that were started.
    public internal(set) var children: UInt64 = 0
    /// Pictures that were refused, by limit.
    public internal(set) var refused: [Limit: UInt64] = [:]
}
