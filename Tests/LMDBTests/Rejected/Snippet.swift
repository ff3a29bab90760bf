import Testing

/// A piece of code that uses the module, and what the compiler must say of it.
struct Snippet: Sendable, CustomTestStringConvertible {
    let name: String
    /// A part of the diagnostic; nil when the code must compile.
    let diagnostic: String?
    let code: String

    var testDescription: String { name }
}
