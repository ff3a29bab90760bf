/// An error with a text: the finding of a check, or the reason why a check could not be made.
package struct FaultError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Creates an error with this text.
    package init(_ description: String) { self.description = description }
}
