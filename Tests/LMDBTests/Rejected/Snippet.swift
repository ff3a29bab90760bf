import Testing

/// A piece of code that uses the module, and the expected diagnostic.
struct Snippet: Sendable, CustomTestStringConvertible {
    let name: String
    /// A part of the diagnostic; nil if the code must compile.
    let diagnostic: String?
    let code: String

    var testDescription: String { name }
}
