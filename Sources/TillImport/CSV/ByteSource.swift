/// Where bytes come from, a piece at a time, so that a file of any length needs the memory of one piece.
protocol ByteSource {
    /// The next bytes, in order; empty at the end and from then on.
    mutating func next() throws -> [UInt8]
}
