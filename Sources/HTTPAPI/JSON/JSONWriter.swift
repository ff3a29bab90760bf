import EventLog
import Loyalty
import LoyaltyCodec
import NIOCore

/// Writes JSON (RFC 8259) as bytes, in the order of the calls, because a retry must get exactly the first answer's bytes. Avoids
/// allocations for single values.
struct JSONWriter {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    private(set) var bytes: [UInt8] = []
    private var needsComma = false
    /// The day of the last time, and its text up to the `T`. Most times of an answer are on one day.
    private var date: (day: Int64, text: [UInt8]) = (-1, [])

    init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

    /// For a value that is written more than once.
    static func written(_ value: some JSONWritable) -> JSONWriter {
        var json = JSONWriter()
        value.write(to: &json)
        return json
    }

    static func buffer(_ value: some JSONWritable) -> ByteBuffer { ByteBuffer(bytes: written(value).bytes) }

    // MARK: Values

    mutating func object(_ fields: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        fields(&self)
        close(UInt8(ascii: "}"))
    }

    mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void) {
        open(UInt8(ascii: "["))
        for element in elements { write(&self, element) }
        close(UInt8(ascii: "]"))
    }

    mutating func value(_ text: String) {
        separate()
        quote(text)
    }

    mutating func value<Noun: Identified>(_ id: ID<Noun>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        TypeID.append(Noun.idPrefix, id.value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func value(_ number: some BinaryInteger) {
        separate()
        guard let number = UInt64(exactly: number) else { return bytes.append(contentsOf: String(number).utf8) }
        append(number)
    }

    /// The fewest digits that are read as the same number; null if JSON cannot express it.
    mutating func value(_ number: Double) {
        guard number.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: number.description.utf8)
    }

    mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Like `Instant.rfc3339`, but reuses the last day's text, since a card has dozens of times.
    mutating func value(_ time: Instant) {
        let (day, rest) = time.microseconds.quotientAndRemainder(dividingBy: Self.microsecondsPerDay)
        guard time.microseconds >= 0 else { return value(time.rfc3339) }
        if day != date.day { date = (day, Array(time.rfc3339.utf8.prefix { $0 != UInt8(ascii: "T") })) }
        let milliseconds = Int(rest / 1_000)
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: date.text)
        digits(milliseconds / 3_600_000, after: "T")
        digits(milliseconds / 60_000 % 60, after: ":")
        digits(milliseconds / 1_000 % 60, after: ":")
        // Milliseconds have three digits: `digits` writes the dot and the first two.
        digits(milliseconds % 1_000 / 10, after: ".")
        bytes.append(UInt8(ascii: "0") + UInt8(milliseconds % 10))
        bytes.append(UInt8(ascii: "Z"))
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func value(written json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
    }

    mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    // MARK: Bytes

    /// Takes the bytes so far, to send a long value in pieces.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Begins an object in pieces, which MUST be ended.
    mutating func beginObject() { open(UInt8(ascii: "{")) }

    mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Begins an array in pieces, which MUST be ended.
    mutating func beginArray(_ name: String) {
        self.name(name)
        open(UInt8(ascii: "["))
    }

    mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a field's name, which its value must follow. Names are constants and need no escaping.
    mutating func name(_ name: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Appends digits without the `String` that the standard library would make.
    private mutating func append(_ number: UInt64) {
        if number >= 10 { append(number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private mutating func digits(_ number: Int, after mark: Unicode.Scalar) {
        bytes.append(UInt8(ascii: mark))
        bytes.append(UInt8(ascii: "0") + UInt8(number / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 { escape(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
        case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
        case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x10: bytes.append(contentsOf: ("\\u000" + String(byte, radix: 16)).utf8)
        case 0x10..<0x20: bytes.append(contentsOf: ("\\u00" + String(byte, radix: 16)).utf8)
        default: bytes.append(byte)
        }
    }
}

extension JSONWriter {
    mutating func field(_ name: String, _ content: some JSONWritable) {
        self.name(name)
        content.write(to: &self)
    }

    mutating func write(_ object: JSONFields) { object.write(to: &self) }

    mutating func null(_ name: String) {
        self.name(name)
        null()
    }

    mutating func object(_ name: String, _ fields: (inout JSONWriter) -> Void) {
        self.name(name)
        object(fields)
    }

    mutating func array<Element>(_ name: String, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void) {
        self.name(name)
        array(elements, write)
    }
}

/// A value that is written as JSON, with its fields in a fixed order.
protocol JSONWritable {
    func write(to json: inout JSONWriter)

    /// Whether a table of fields leaves it out.
    var isAbsent: Bool { get }
}

extension JSONWritable {
    var isAbsent: Bool { false }
}

/// An object whose fields are one table. Frequent answers write their fields one by one instead, which allocates nothing.
protocol JSONRecord: JSONWritable {
    var fields: JSONFields { get }
}

extension JSONRecord {
    func write(to json: inout JSONWriter) { fields.write(to: &json) }
}

/// Names and values of an object, in the order in which they are written. Nil is written as null; see also ``IfPresent``.
struct JSONFields: JSONWritable, ExpressibleByDictionaryLiteral {
    private var fields: [(name: String, value: any JSONWritable)]

    init(dictionaryLiteral fields: (String, any JSONWritable)...) { self.fields = fields }

    func write(to json: inout JSONWriter) { json.object { writeFields(to: &$0) } }

    func writeFields(to json: inout JSONWriter) { for field in fields where !field.value.isAbsent { json.field(field.name, field.value) } }

    static func + (left: JSONFields, right: JSONFields) -> JSONFields {
        var sum = left
        sum.fields += right.fields
        return sum
    }
}

/// A value whose field is left out if it is nil.
struct IfPresent<Value: JSONWritable>: JSONWritable {
    private let value: Value?

    init(_ value: Value?) { self.value = value }

    var isAbsent: Bool { value == nil }

    func write(to json: inout JSONWriter) { value.write(to: &json) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    func write(to json: inout JSONWriter) { if let self { self.write(to: &json) } else { json.null() } }
}

extension Array: JSONWritable where Element: JSONWritable {
    func write(to json: inout JSONWriter) { json.array(self) { $1.write(to: &$0) } }
}

/// Already written JSON.
extension JSONWriter: JSONWritable {
    func write(to json: inout JSONWriter) {
        json.separate()
        json.bytes.append(contentsOf: bytes)
    }
}

extension String: JSONWritable {
    func write(to json: inout JSONWriter) { json.value(self) }
}

extension Bool: JSONWritable {
    func write(to json: inout JSONWriter) { json.value(self) }
}

extension Double: JSONWritable {
    func write(to json: inout JSONWriter) { json.value(self) }
}

extension BinaryInteger where Self: JSONWritable {
    func write(to json: inout JSONWriter) { json.value(self) }
}

extension Int: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt64: JSONWritable {}

extension ID: JSONWritable where Noun: Identified {
    func write(to json: inout JSONWriter) { json.value(self) }
}

extension Instant: JSONWritable {
    func write(to json: inout JSONWriter) { json.value(self) }
}

extension Position: JSONWritable {
    func write(to json: inout JSONWriter) { json.value(rawValue) }
}
