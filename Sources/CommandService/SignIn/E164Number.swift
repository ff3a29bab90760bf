/// A telephone number in E.164 form: `+` and 8 to 15 digits, the first not 0.
public struct E164Number: Hashable, Sendable {
    public let text: String

    /// - Returns: `nil` for anything but E.164.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "+"), (9...16).contains(bytes.count), bytes[1] != UInt8(ascii: "0") else { return nil }
        guard bytes.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.text = text
    }
}
