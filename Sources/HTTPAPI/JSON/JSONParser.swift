/// Reads JSON (RFC 8259) strictly. Foundation's decoder accepts invalid UTF-8, escapes and commas in fields that nobody reads, and does not
/// name a field whose number does not fit. This parser checks the whole text and bounds the nesting.
struct JSONParser {
    /// Not JSON, or nested too deeply.
    struct Malformed: Error {}

    /// Deeper than any request of this API, and safe for any thread's stack.
    private static let depthMax = 32

    private let bytes: [UInt8]
    private var index = 0

    static func parse(_ bytes: [UInt8]) throws(Malformed) -> JSONTree {
        var parser = JSONParser(bytes: bytes)
        let tree = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.index == bytes.count else { throw Malformed() }
        return tree
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Values

    private mutating func value(depth: Int) throws(Malformed) -> JSONTree {
        guard depth <= Self.depthMax else { throw Malformed() }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(Malformed) -> [(name: String, value: JSONTree)] {
        var fields: [(name: String, value: JSONTree)] = []
        index += 1
        skipSpace()
        if take("}") { return fields }
        repeat {
            skipSpace()
            let name = try string()
            skipSpace()
            guard take(":") else { throw Malformed() }
            fields.append((name, try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw Malformed() }
        return fields
    }

    private mutating func array(depth: Int) throws(Malformed) -> [JSONTree] {
        var elements: [JSONTree] = []
        index += 1
        skipSpace()
        if take("]") { return elements }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw Malformed() }
        return elements
    }

    private mutating func word(_ word: String, _ meaning: JSONTree) throws(Malformed) -> JSONTree {
        guard bytes[index...].starts(with: word.utf8) else { throw Malformed() }
        index += word.utf8.count
        return meaning
    }

    private mutating func number() throws(Malformed) -> String {
        let start = index
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() throws(Malformed) {
        let start = index
        while let byte = peek, byte.isDigit { index += 1 }
        guard index > start else { throw Malformed() }
    }

    // MARK: Strings

    private mutating func string() throws(Malformed) -> String {
        guard take("\"") else { throw Malformed() }
        let start = index
        while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { index += 1 }
        if peek == UInt8(ascii: "\"") {
            defer { index += 1 }
            return try text(bytes[start..<index])
        }
        return try escapedString(from: start)
    }

    private mutating func escapedString(from start: Int) throws(Malformed) -> String {
        var content = Array(bytes[start..<index])
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(content[...])
            case UInt8(ascii: "\\"): try appendEscape(to: &content)
            case 0..<0x20: throw Malformed()
            default: content.append(byte)
            }
        }
        throw Malformed()
    }

    private mutating func appendEscape(to content: inout [UInt8]) throws(Malformed) {
        guard let byte = peek else { throw Malformed() }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content.append(contentsOf: String(Character(try scalar())).utf8)
        default: throw Malformed()
        }
    }

    /// The character after `\u`. A surrogate pair is one character; an unpaired one is an error.
    private mutating func scalar() throws(Malformed) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, take("\\"), take("u") else { throw Malformed() }
        let second = try unit()
        guard (0xDC00...0xDFFF).contains(second), let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw Malformed() }
        return scalar
    }

    private mutating func unit() throws(Malformed) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else { throw Malformed() }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }

    private func text(_ content: ArraySlice<UInt8>) throws(Malformed) -> String {
        guard let text = String(validating: content, as: UTF8.self) else { throw Malformed() }
        return text
    }

    // MARK: Bytes

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() { while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 } }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

enum JSONTree: Sendable {
    case null
    case bool(Bool)
    /// As sent; the field's reader chooses a Swift type.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([(name: String, value: JSONTree)])

    /// The last field of this name.
    func field(_ name: String) -> JSONTree? {
        guard case .object(let fields) = self else { return nil }
        return fields.last { $0.name == name }?.value
    }
}
