import CPhoneNumber

/// Phone numbers as people write them, read by the numbering plans of libphonenumber.
///
/// A number that is possible in its plan is taken even if the plan does not know it, because installed plans are older than the newest
/// numbers. The first call loads the plans, which takes some milliseconds; later calls take some microseconds. Any task may call.
public enum NumberingPlans {
    /// The maximum number of characters of a typed number. The library's work grows with the square of the length.
    static let charactersMax = 64

    /// All regions that have a numbering plan, by their letters.
    public static let regions: [PhoneRegion] = {
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { Character(UnicodeScalar($0)) }
        return letters.flatMap { first in letters.compactMap { PhoneRegion(String([first, $0])) } }
    }()

    /// The number of a typed text in E.164 form, such as `+442079460958` for "+44 (0)20 7946 0958".
    ///
    /// - Parameter region: the region in which the text would be dialled as it is; nil if the text begins with `+`.
    /// - Returns: nil unless the text is a possible number. A text with letters is refused: an extension would be lost in E.164 form, and
    ///   so would the place of a word in a text such as "1-800-FLOWERS".
    public static func number(in text: String, region: PhoneRegion? = nil) -> String? {
        guard let plain = plain(text), region != nil || plain.first == "+" else { return nil }
        // SAFETY: the library reads the text during the call and keeps nothing of it.
        let number = unsafe cphone_number(plain, region?.letters ?? 0)
        return number == 0 ? nil : "+\(number)"
    }

    /// `+` and the digits of a typed text that begins with `+`, whatever the plans say; nil for another text.
    public static func digits(of text: String) -> String? {
        guard let plain = plain(text), plain.first == "+" else { return nil }
        return plain.unicodeScalars.reduce(into: "+") { digits, scalar in
            if let value = scalar.properties.numericValue { digits += String(Int(value)) }
        }
    }

    /// The region of a number in E.164 form; nil for another text, and for a number of no region. A number that its plan does not know has
    /// the main region of its calling code.
    public static func region(of number: String) -> PhoneRegion? {
        guard number.utf8.first == UInt8(ascii: "+"), let digits = UInt64(number.dropFirst()) else { return nil }
        return PhoneRegion(letters: cphone_region(digits))
    }

    /// The text from its plus sign or first digit on, without invisible characters of format, which address books add around a number. Nil
    /// for a text that is too long or has characters that no written number has.
    private static func plain(_ text: String) -> String? {
        guard text.unicodeScalars.count <= charactersMax else { return nil }
        var plain = ""
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            switch properties.generalCategory {
            case .decimalNumber: plain.unicodeScalars.append(scalar)
            case .format: continue
            case _ where scalar == "+" || scalar == "\u{FF0B}": plain += "+"
            case .dashPunctuation, .spaceSeparator, .openPunctuation, .closePunctuation: appendInside(scalar)
            case _ where Self.separators.contains(scalar): appendInside(scalar)
            default: return nil
            }
        }
        return plain

        func appendInside(_ scalar: UnicodeScalar) {
            if !plain.isEmpty { plain.unicodeScalars.append(scalar) }
        }
    }

    /// Separators that are neither hyphens nor spaces nor brackets. People in Japan type a long vowel mark for a hyphen.
    private static let separators: Set<UnicodeScalar> = [".", "/", "~", "\t", "\u{FF0E}", "\u{FF0F}", "\u{2212}", "\u{30FC}"]
}

/// A region with a numbering plan.
public struct PhoneRegion: Hashable, Sendable {
    /// The code in two bytes, the first letter in the high one.
    let letters: UInt16
    /// The calling code without its plus sign, which several regions may share.
    public let callingCode: Int

    /// - Parameter text: two letters of ISO 3166, in upper or lower case.
    /// - Returns: nil for any other text, and for a region without a numbering plan.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 2, bytes.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }) else { return nil }
        self.init(letters: UInt16(bytes[0] & 0xDF) << 8 | UInt16(bytes[1] & 0xDF))
    }

    init?(letters: UInt16) {
        let code = Int(cphone_calling_code(letters))
        guard code > 0 else { return nil }
        (self.letters, callingCode) = (letters, code)
    }

    /// The two letters of ISO 3166, such as `CN`.
    public var code: String { String(decoding: [UInt8(letters >> 8), UInt8(letters & 0xFF)], as: UTF8.self) }
}
