internal import EventLog
internal import Loyalty
internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An event before it becomes bytes: its type, tags and payload. The time, the actor and the hashes of the request are added later.
struct EventDraft {
    let type: WireType
    /// The tags, ascending by kind, so that the log need not sort them. Each kind occurs at most once, except images.
    var tags: [Tag]
    var payload: [UInt8] = []

    init(_ type: WireType, _ tags: [Tag]) {
        (self.type, self.tags) = (type, tags)
    }

    init(_ type: WireType, _ tags: [Tag], _ message: some Message) throws(CodecError) {
        self.init(type, tags)
        do {
            payload = try message.serializedBytes()
        } catch {
            throw CodecError(.damagedPayload, "the payload of \(type.name) does not encode: \(error)")
        }
    }

    /// Inserts the hashes of the request as tags, at the place that the order of tags requires.
    mutating func add(_ mark: RequestMark) {
        let place = tags.firstIndex { $0.kind > .request } ?? tags.endIndex
        tags.insert(contentsOf: [Tag(.request, mark.request), Tag(.digest, mark.digest)], at: place)
    }
}

/// Conversions of sealed data and keyed hashes to byte fields of payloads, and back.
enum WireBytes {
    static func data(_ secret: Secret) -> Data {
        Data(secret.value.bigEndianBytes)
    }

    static func secret(_ data: Data, _ field: StaticString) throws(CodecError) -> Secret {
        guard let value = UInt128(bigEndianBytes: data) else {
            throw CodecError(.fieldOutOfRange, "\(field) has \(data.count) bytes, not 16")
        }
        return Secret(value)
    }

    static func data(id: UInt128) -> Data { Data(id.bigEndianBytes) }

    /// An id in a payload; nil if the field is absent.
    static func id(_ data: Data, _ field: StaticString) throws(CodecError) -> UInt128? {
        data.isEmpty ? nil : try secret(data, field).value
    }

    /// The bytes of a sealed field. Sealed data always has a version byte, so empty data is refused: in a payload, it means that the field
    /// is missing.
    static func data(_ sealed: Sealed, _ field: StaticString) throws(CodecError) -> Data {
        guard !sealed.bytes.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is empty") }
        return Data(sealed.bytes)
    }

    static func sealed(_ data: Data, _ field: StaticString) throws(CodecError) -> Sealed {
        guard !data.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is missing") }
        return Sealed(Array(data))
    }

    /// The bytes of a change of a sealed field; nil if the field stays unchanged. Empty bytes mean that the field is cleared, because
    /// sealed data is never empty.
    static func data(_ change: FieldChange<Sealed>, _ field: StaticString) throws(CodecError) -> Data? {
        switch change {
        case .unchanged: nil
        case .cleared: Data()
        case .set(let sealed): try data(sealed, field)
        }
    }

    static func change(_ isPresent: Bool, _ data: Data) -> FieldChange<Sealed> {
        guard isPresent else { return .unchanged }
        return data.isEmpty ? .cleared : .set(Sealed(Array(data)))
    }
}

/// Ranges of numbers in payloads, which are checked when an event is encoded and when it is decoded, so that everything that is stored can
/// be read. The ranges here are those of events whose codecs are written by hand; `events.proto` has the others.
enum WireRange {
    /// The stamps that one code is worth.
    static let stamps = 1...10
    /// The stamps that one event adds to a card or takes off.
    static let cardStamps = 1...50
    /// The stamps of a code's worth that one event uses up.
    static let usedWorth = 0...10
    /// The number of a campaign's cards that one account may fill. In a payload, 0 means no limit.
    static let repeats = 1...100
    /// The extra stamps that an account gets with its first code of a campaign. In a payload, 0 means none.
    static let welcomeStamps = 1...10
    /// The number of days for which a card is valid. In a payload, 0 means no limit.
    static let cardValidDays = 1...1_827
    /// The number of entries in a campaign's bonus hours.
    static let bonuses = 0...21
    /// The number of a campaign's or a card's milestones.
    static let milestones = 0...10
    /// The number of stamps at which a card reaches a milestone.
    static let milestone = 1...49
    /// The number of a campaign's other shops.
    static let sharedShops = 0...50
    /// A card's goal; 0 for a coupon, which is full from the start.
    static let cardGoal = 0...50
    /// A campaign's goal; 0 for a promotion, which has no card, and for a coupon.
    static let campaignGoal = 0...50
    /// The number of a shop's images. It is limited, because each image is a tag, and a record has at most 16 tags.
    static let images = 0...9
    /// A campaign's cap on the stamps that one account gains in a day. In a payload, 0 means no cap.
    static let stampsPerDay = 1...50
    /// The minimum number of seconds between two codes that one account enters in a campaign. In a payload, 0 means no minimum.
    static let gapSeconds = 1...86_400

    /// Requires that a value is within its range.
    ///
    /// - Throws: `CodecError.Code.fieldOutOfRange`.
    static func check(
        _ value: some BinaryInteger, _ range: ClosedRange<Int>, never: Int? = nil, _ field: StaticString
    ) throws(CodecError) -> Int {
        guard let number = Int(exactly: value), range.contains(number), number != never else {
            let besides = never.map { " besides \($0)" } ?? ""
            throw CodecError(.fieldOutOfRange, "\(field) is \(value), not \(range.lowerBound) to \(range.upperBound)\(besides)")
        }
        return number
    }

    /// Requires that a value is one of a few.
    static func check(_ value: some BinaryInteger, among values: [Int], _ field: StaticString) throws(CodecError) -> Int {
        guard let number = Int(exactly: value), values.contains(number) else {
            throw CodecError(.fieldOutOfRange, "\(field) is \(value), not \(values.map { "\($0)" }.joined(separator: " or "))")
        }
        return number
    }

    /// The value as it is stored in a payload. It is first checked like in `check`.
    static func wire(_ value: Int, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> UInt32 {
        UInt32(try check(value, range, field))
    }

    /// Like `check`, for a field in which 0 means that there is no value.
    static func check(orNone value: UInt32, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> Int? {
        if value == 0 { return nil }
        return try check(value, range, field)
    }

    /// Like `wire`, for a field in which 0 means that there is no value.
    static func wire(_ value: Int?, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> UInt32 {
        guard let value else { return 0 }
        return UInt32(try check(value, range, field))
    }
}

/// The two fields in a payload that store a typed text: an unsealed string, and sealed bytes. At most one of them is set.
extension TypedText {
    /// - Throws: `CodecError.Code.fieldOutOfRange` if both fields are set.
    init(clear: String, sealed: Data, _ field: StaticString) throws(CodecError) {
        guard clear.isEmpty || sealed.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is there twice") }
        self = sealed.isEmpty ? .clear(clear) : .sealed(Sealed(Array(sealed)))
    }

    /// The value of the unsealed string's field; empty if the text is sealed.
    var clearField: String {
        if case .clear(let text) = self { text } else { "" }
    }

    /// The value of the sealed bytes' field; empty if the text is not sealed.
    func sealedField(_ field: StaticString) throws(CodecError) -> Data {
        if case .sealed(let sealed) = self { try WireBytes.data(sealed, field) } else { Data() }
    }
}
