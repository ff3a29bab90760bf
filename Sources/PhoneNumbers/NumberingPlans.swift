import CPhoneNumber

/// Phone numbers as people write them, read by the numbering plans of libphonenumber. Any task may call.
///
/// A possible number is taken even if its plan does not know it, because new numbers are newer than installed plans. The first call takes
/// milliseconds.
public enum NumberingPlans {
    /// Characters of a typed number. The library's work grows with the square of the length.
    static let charactersMax = 64

    public static let regions: [PhoneRegion] = {
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { Character(UnicodeScalar($0)) }
        return letters.flatMap { first in letters.compactMap { PhoneRegion(String([first, $0])) } }
    }()

    /// The E.164 form of a typed text, such as `+442079460958` for "+44 (0)20 7946 0958".
    ///
    /// - Parameter region: the region in which the text would be dialled; nil if it begins with `+`.
    /// - Returns: nil unless the number is possible. Letters are refused, because E.164 would lose an extension.
    public static func number(in text: String, region: PhoneRegion? = nil) -> String? {
        guard let plain = plain(text), region != nil || plain.first == "+" else { return nil }
        // SAFETY: the library reads the text during the call and keeps nothing of it.
        let number = unsafe cphone_number(plain, region?.letters ?? 0)
        return number == 0 ? nil : "+\(number)"
    }

    /// `+` and the digits of a text that begins with `+`, whatever the plans say.
    public static func digits(of text: String) -> String? {
        guard let plain = plain(text), plain.first == "+" else { return nil }
        return plain.unicodeScalars.reduce(into: "+") { digits, scalar in
            if let value = scalar.properties.numericValue { digits += String(Int(value)) }
        }
    }

    /// An unknown number has its calling code's main region.
    public static func region(of number: String) -> PhoneRegion? {
        guard number.utf8.first == UInt8(ascii: "+"), let digits = UInt64(number.dropFirst()) else { return nil }
        return PhoneRegion(letters: cphone_region(digits))
    }

    /// The text from its plus sign or first digit on, without the invisible characters of address books.
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

        func appendInside(_ scalar: UnicodeScalar) { if !plain.isEmpty { plain.unicodeScalars.append(scalar) } }
    }

    /// People in Japan type a long vowel mark for a hyphen.
    private static let separators: Set<UnicodeScalar> = [".", "/", "~", "\t", "\u{FF0E}", "\u{FF0F}", "\u{2212}", "\u{30FC}"]
}

/// A region with a numbering plan.
public struct PhoneRegion: Hashable, Sendable {
    /// Two bytes, the first letter in the high one.
    let letters: UInt16
    /// Without its plus sign; several regions may share it.
    public let callingCode: Int

    /// Nil without a numbering plan.
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

    public var code: String { String(decoding: [UInt8(letters >> 8), UInt8(letters & 0xFF)], as: UTF8.self) }
}
