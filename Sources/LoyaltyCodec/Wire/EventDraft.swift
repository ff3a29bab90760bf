internal import EventLog
internal import Loyalty
internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An event on its way to bytes: all but its time, its actor and the marks of its request.
struct EventDraft {
    let type: WireType
    /// Ascending by kind, each kind once: so the log need not sort them.
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

    /// Puts the marks where they belong in the order.
    mutating func add(_ mark: RequestMark) {
        let place = tags.firstIndex { $0.kind > .request } ?? tags.endIndex
        tags.insert(contentsOf: [Tag(.request, mark.request), Tag(.digest, mark.digest)], at: place)
    }
}

/// Byte fields of payloads.
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

    /// Sealed data has at least its version byte; none at all means that the field was never written.
    static func data(_ sealed: Sealed, _ field: StaticString) throws(CodecError) -> Data {
        guard !sealed.bytes.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is empty") }
        return Data(sealed.bytes)
    }

    static func sealed(_ data: Data, _ field: StaticString) throws(CodecError) -> Sealed {
        guard !data.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is missing") }
        return Sealed(Array(data))
    }

    /// A change of a sealed field: no bytes where it is cleared, since what is sealed always has some; nil where it stays.
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

/// The ranges of numbers in payloads. They are checked when an event is encoded and when it is decoded, so that everything that is stored
/// can be read.
enum WireRange {
    /// Worth of one code.
    static let stamps = 1...10
    /// Added to a card by one event, or taken off it.
    static let cardStamps = 1...50
    /// Used up of a code's worth by one event.
    static let usedWorth = 0...10
    /// A campaign's limit of filled cards; none is 0.
    static let repeats = 1...100
    /// A campaign's welcome; none is 0.
    static let welcomeStamps = 1...10
    /// Days for which a card is good; any number is 0.
    static let cardValidDays = 1...1_827
    /// The number of a campaign's bonuses.
    static let bonuses = 0...21
    /// The number of a campaign's or a card's milestones.
    static let milestones = 0...10
    /// The stamps of a milestone.
    static let milestone = 1...49
    /// A card's goal; 0 for a coupon, which is full from the start.
    static let cardGoal = 0...50
    /// A campaign's goal; 0 for a promotion, which has no card, and for a coupon.
    static let campaignGoal = 0...50
    /// Derivations of a code from an id. More collisions than this in a row are not chance.
    static let attempt = 0...255
    static let rating = 1...5
    /// The number of a shop's images. They are tags, of which a record has at most 16.
    static let images = 0...9
    /// A campaign's cap; none is 0.
    static let stampsPerDay = 1...50
    /// A campaign's gap; none is 0.
    static let gapSeconds = 1...86_400
    /// An operator's adjustment; never 0.
    static let adjustment = -50...50
    /// The depth of a reply under its review.
    static let depth = 1...8

    /// - Throws: `CodecError.Code.fieldOutOfRange`.
    static func check(_ value: some BinaryInteger, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> Int {
        guard let number = Int(exactly: value), range.contains(number) else {
            throw CodecError(.fieldOutOfRange, "\(field) is \(value), not \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The value as it goes on the wire.
    static func wire(_ value: Int, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> UInt32 {
        UInt32(try check(value, range, field))
    }

    /// The same as `check`, for a field whose 0 means none.
    static func check(orNone value: UInt32, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> Int? {
        if value == 0 { return nil }
        return try check(value, range, field)
    }

    /// The same as `wire`, for a field whose 0 means none.
    static func wire(_ value: Int?, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> UInt32 {
        guard let value else { return 0 }
        return UInt32(try check(value, range, field))
    }
}

/// Typed words stand in two fields of a payload, of which at most one is there: a string in the clear, and sealed bytes.
extension TypedText {
    /// - Throws: `CodecError.Code.fieldOutOfRange` where both are there.
    init(clear: String, sealed: Data, _ field: StaticString) throws(CodecError) {
        guard clear.isEmpty || sealed.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is there twice") }
        self = sealed.isEmpty ? .clear(clear) : .sealed(Sealed(Array(sealed)))
    }

    /// The field in the clear; empty where the words are sealed.
    var clearField: String {
        if case .clear(let text) = self { text } else { "" }
    }

    /// The sealed field; empty where the words are in the clear.
    func sealedField(_ field: StaticString) throws(CodecError) -> Data {
        if case .sealed(let sealed) = self { try WireBytes.data(sealed, field) } else { Data() }
    }
}
