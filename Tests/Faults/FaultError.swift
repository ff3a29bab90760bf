/// What keeps a check from being made, or what it found, in words.
package struct FaultError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// A finding.
    package init(_ description: String) { self.description = description }
}
