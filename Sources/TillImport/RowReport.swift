/// Something to tell about one row of the file.
public struct RowReport: Hashable, Sendable, CustomStringConvertible {
    /// The line on which the row begins, from 1; the header is line 1.
    public let line: Int
    /// What is wrong with it, for the person who can correct the file.
    public let reason: String

    public var description: String { "line \(line): \(reason)" }
}
