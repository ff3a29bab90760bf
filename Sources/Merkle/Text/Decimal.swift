/// Decimal numbers with one spelling: ASCII digits, no sign, no leading zero but in `0` itself.
enum Decimal {
    /// The number, nil when the text is none or is beyond `max`.
    static func number(_ text: ArraySlice<UInt8>, max: UInt64) -> UInt64? {
        guard let first = text.first, text.count == 1 || first != UInt8(ascii: "0") else { return nil }
        return digits(text, max: max)
    }

    /// As ``number(_:max:)``, but zeros may lead.
    static func digits(_ text: ArraySlice<UInt8>, max: UInt64) -> UInt64? {
        guard !text.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in text {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            let (tens, tooMany) = number.multipliedReportingOverflow(by: 10)
            let (sum, tooLarge) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !tooMany, !tooLarge else { return nil }
            number = sum
        }
        return number <= max ? number : nil
    }
}
