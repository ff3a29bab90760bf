/// A failure of a test's own set-up, or a condition without which the test cannot continue.
struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
