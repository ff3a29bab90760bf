/// A code that has stamps left to give.
struct CountedCode: Sendable {
    /// Number of the member who showed it.
    let member: UInt32
    var stamps: Int32
}
