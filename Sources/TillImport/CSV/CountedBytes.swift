/// A source of bytes that tells how many it has given.
struct CountedBytes<Source: ByteSource>: ByteSource {
    private var source: Source
    private var count = 0
    private let tell: (Int) -> Void

    init(_ source: Source, tell: @escaping (Int) -> Void) {
        (self.source, self.tell) = (source, tell)
    }

    mutating func next() throws -> [UInt8] {
        let bytes = try source.next()
        count += bytes.count
        tell(count)
        return bytes
    }
}
