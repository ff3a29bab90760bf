/// What a test's own machinery could not do, or what makes going on pointless.
struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
