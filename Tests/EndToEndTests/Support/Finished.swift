/// What a program that has ended left behind.
struct Finished {
    /// The exit code, or minus the signal.
    let status: Int32
    let output: String
    let errors: String

    /// The printed lines that are not empty.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
}
