/// A named table of an environment: a number and a kind, free to copy and to share between threads.
///
/// ## LMDB limitations
/// A table belongs to the environment that opened it; another environment's transactions refuse it. Its kind is stored with
/// it at creation and can not change. Keys have 1 to ``Limits/keyBytesMax`` bytes.
public struct Table: Sendable, Hashable {
    /// What the keys and values of a table are, and so how they are ordered.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Any bytes to any bytes; keys are ordered as unsigned bytes, a prefix before what it is a prefix of.
        case bytes
        /// `UInt64` to any bytes; keys are ordered as numbers.
        case integer
    }

    /// What the keys and values are.
    public let kind: Kind
    /// LMDB's handle, an index into the environment's array of open tables.
    let handle: UInt32
    /// The number of the environment, so that a foreign handle is refused rather than read as another kind.
    let environment: UInt32
}
