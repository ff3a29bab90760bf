/// An entry of a run.
struct RunPlace: Sendable {
    var block: UInt32
    /// Its number in the block; `Int.max` for the last one.
    var entry: Int
}
