/// The result of a program that has ended.
struct Finished {
    /// The exit code, or the negated signal.
    let status: Int32
    let output: String
    let errors: String

    /// The non-empty lines of the output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
}
