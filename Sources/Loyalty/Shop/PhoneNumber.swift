/// How a shop's phone number may be written. It is shown, not dialled from here, so any national way of grouping is fine.
enum PhoneNumber {
    /// What is wrong with `text`, for a developer, or `nil`.
    static func complaint(about text: String) -> String? {
        let bytes = text.utf8
        guard Limits.shopPhoneCharacters.contains(bytes.count), bytes.allSatisfy(isAllowed), bytes.contains(where: isDigit) else {
            let range = Limits.shopPhoneCharacters
            return "must be \(range.lowerBound) to \(range.upperBound) of digits, +, -, spaces and parentheses, with a digit"
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: ")"): true
        default: isDigit(byte)
        }
    }
}
