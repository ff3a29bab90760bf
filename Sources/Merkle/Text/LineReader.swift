/// Takes bytes apart line by line; each line ends with a newline, the last one too.
struct LineReader {
    static let newline = UInt8(ascii: "\n")
    /// What has not been read yet.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next line without its newline; nil at the end, or when what is left has no newline.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: Self.newline) else { return nil }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        return line
    }

    /// What follows `prefix` in the next line; nil, with nothing read, when that begins otherwise.
    mutating func next(after prefix: String) -> ArraySlice<UInt8>? {
        var ahead = self
        guard let line = ahead.next(), line.starts(with: prefix.utf8) else { return nil }
        self = ahead
        return line.dropFirst(prefix.utf8.count)
    }
}
