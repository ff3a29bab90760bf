public import EventLog

extension Tag {
    /// The tag as tools show it: `card:card_01h455vb4pex5vsknk084sn02q`, keyed hashes as `phone:` and 32 hexadecimal digits.
    ///
    /// A kind that this program does not know is shown by its number.
    public var text: String {
        guard let wire = WireTag(kind) else { return "\(kind.rawValue):\(Hex.text(value))" }
        return "\(wire.name):\(wire.valueText(value))"
    }

    /// The value alone: an id as clients see it, a keyed hash as 32 hexadecimal digits.
    package var valueText: String { WireTag(kind)?.valueText(value) ?? Hex.text(value) }

    /// Reads `KIND:ID` as people give it to tools. The id may leave out its prefix; a wrong prefix, an unknown kind and
    /// anything after the id are refused.
    public init?(text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let wire = WireTag(name: text[..<colon]) else { return nil }
        guard let value = wire.value(String(text[text.utf8.index(after: colon)...])) else { return nil }
        self.init(kind: wire.kind, value: value)
    }
}

extension WireTag {
    func valueText(_ value: UInt128) -> String {
        idPrefix.map { TypeID.text($0, value) } ?? Hex.text(value)
    }

    func value(_ text: String) -> UInt128? {
        guard let idPrefix else { return Hex.bytes(text).flatMap { UInt128(bigEndianBytes: $0) } }
        return TypeID.value(of: text, prefix: idPrefix) ?? TypeID.suffix(text.utf8)
    }
}
