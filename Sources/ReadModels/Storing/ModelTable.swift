/// One table of a read model: a name, what its keys are made of, and how its values read.
///
/// The rows of a model's tables, table by table and in key order, are its canonical content: a pure function of the events
/// up to its position, the same on every machine and however the events were batched. That is what is digested and compared.
public struct ModelTable: Sendable {
    /// Stored under this name.
    public let name: String
    /// What the key's bytes stand for, in order.
    public let key: [KeyPart]
    /// A value in one line for people; nil when the bytes are not a value of this table.
    let describe: @Sendable (Span<UInt8>) -> String?

    init(_ name: String, key: [KeyPart], describe: @escaping @Sendable (Span<UInt8>) -> String?) {
        self.name = name
        self.key = key
        self.describe = describe
    }

    /// The bytes of every key.
    package var keyBytes: Int { key.reduce(0) { $0 + $1.bytes } }

    /// A key in readable ids, `shop_01…/acct_01…`; hexadecimal where it has not the right length.
    public func text(key bytes: Span<UInt8>) -> String {
        guard bytes.count == keyBytes else { return "unreadable key " + Hexadecimal.text(bytes) }
        var parts: [String] = []
        var offset = 0
        for part in key {
            parts.append(part.text(bytes, at: offset))
            offset += part.bytes
        }
        return parts.joined(separator: "/")
    }

    /// A value in one line; hexadecimal where the bytes are not one.
    public func text(value bytes: Span<UInt8>) -> String {
        describe(bytes) ?? "unreadable bytes " + Hexadecimal.text(bytes)
    }
}
