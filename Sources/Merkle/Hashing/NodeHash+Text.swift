extension NodeHash: CustomStringConvertible {
    /// 44 characters of Base64 (RFC 4648 §4), as in checkpoints and receipts.
    public var base64: String { Base64.text(bytes) }

    /// 64 lower-case hexadecimal digits, as people compare them.
    public var hex: String { Hexadecimal.text(bytes) }

    /// The same as ``hex``.
    public var description: String { hex }

    /// A hash as it stands in a checkpoint; nil for any other text, even for another spelling of the same bytes.
    public init?(base64 text: String) { self.init(base64: Array(text.utf8)[...]) }

    init?(base64 text: ArraySlice<UInt8>) {
        guard let bytes = Base64.bytes(text) else { return nil }
        self.init(bytes)
    }

    /// A hash from 64 lower-case hexadecimal digits; nil for any other text.
    public init?(hex text: String) {
        guard let bytes = Hexadecimal.bytes(Array(text.utf8)[...]) else { return nil }
        self.init(bytes)
    }
}
