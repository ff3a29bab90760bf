internal import EventLog
internal import Loyalty
internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An event type as logs and texts have it. `Events.generated.swift` has all but the few that are written by hand.
protocol CodedEvent {
    /// Decodes an event of today's version.
    init(current event: some StoredEvent & ~Escapable) throws(CodecError)

    /// In the order in which they are shown.
    var fields: [FactField] { get }

    func draft() throws(CodecError) -> EventDraft
}

/// An event that is read from its message alone, whatever its version; the caller handles what an older one lacks.
protocol MessageEvent: CodedEvent {
    associatedtype Payload: Message

    init(_ message: Payload, _ event: some StoredEvent & ~Escapable) throws(CodecError)
}

extension MessageEvent {
    init(current event: some StoredEvent & ~Escapable) throws(CodecError) { try self.init(event.message(Payload.self), event) }
}

extension WireType {
    /// The name of the type: that of its message. Each log stores it once, together with the number.
    var name: String {
        let name = "\(self)"
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}

/// An event before it becomes bytes, without time, actor and request.
struct EventDraft {
    let type: WireType
    /// Ascending by kind, so that the log need not sort. Each kind occurs once, except images.
    var tags: [Tag]
    var payload: [UInt8] = []

    init(_ type: WireType, _ tags: [Tag]) { (self.type, self.tags) = (type, tags) }

    init(_ type: WireType, _ tags: [Tag], _ message: some Message) throws(CodecError) {
        self.init(type, tags)
        do {
            payload = try message.serializedBytes()
        } catch {
            throw CodecError(.damagedPayload, "the payload of \(type.name) does not encode: \(error)")
        }
    }

    /// Inserts the request's hashes where the order of tags requires.
    mutating func add(_ mark: RequestMark) {
        let place = tags.firstIndex { $0.kind > .request } ?? tags.endIndex
        tags.insert(contentsOf: [Tag(.request, mark.request), Tag(.digest, mark.digest)], at: place)
    }
}

enum WireBytes {
    static func data(_ secret: Secret) -> Data { Data(secret.value.bigEndianBytes) }

    static func secret(_ data: Data, _ field: StaticString) throws(CodecError) -> Secret {
        guard let value = UInt128(bigEndianBytes: data) else {
            throw CodecError(.fieldOutOfRange, "\(field) has \(data.count) bytes, not 16")
        }
        return Secret(value)
    }

    static func data(id: UInt128) -> Data { Data(id.bigEndianBytes) }

    /// nil if the field is absent.
    static func id(_ data: Data, _ field: StaticString) throws(CodecError) -> UInt128? {
        data.isEmpty ? nil : try secret(data, field).value
    }

    /// Empty data is refused: in a payload it means that the field is missing.
    static func data(_ sealed: Sealed, _ field: StaticString) throws(CodecError) -> Data {
        guard !sealed.bytes.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is empty") }
        return Data(sealed.bytes)
    }

    static func sealed(_ data: Data, _ field: StaticString) throws(CodecError) -> Sealed {
        guard !data.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is missing") }
        return Sealed(Array(data))
    }

    /// nil if the field stays unchanged; empty if it is cleared.
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

/// Ranges of numbers in payloads, checked at encoding and decoding, so that everything that is stored can be read. `events.proto` has those
/// of generated codecs.
enum WireRange {
    static let stamps = 1...10
    /// For one event.
    static let cardStamps = 1...50
    static let usedWorth = 0...10
    /// 0 means no limit.
    static let repeats = 1...100
    /// 0 means none.
    static let welcomeStamps = 1...10
    /// 0 means no limit.
    static let cardValidDays = 1...1_827
    static let bonuses = 0...21
    static let milestones = 0...10
    /// The stamps at which a card reaches a milestone.
    static let milestone = 1...49
    static let sharedShops = 0...50
    /// 0 for a coupon.
    static let cardGoal = 0...50
    /// 0 for a promotion or a coupon.
    static let campaignGoal = 0...50
    /// Each image is a tag, and a record has at most 16 tags.
    static let images = 0...9
    /// 0 means no cap.
    static let stampsPerDay = 1...50
    /// 0 means no minimum.
    static let gapSeconds = 1...86_400

    /// - Throws: `fieldOutOfRange`.
    static func check(
        _ value: some BinaryInteger, _ range: ClosedRange<Int>, never: Int? = nil, _ field: StaticString
    ) throws(CodecError) -> Int {
        guard let number = Int(exactly: value), range.contains(number), number != never else {
            let besides = never.map { " besides \($0)" } ?? ""
            throw CodecError(.fieldOutOfRange, "\(field) is \(value), not \(range.lowerBound) to \(range.upperBound)\(besides)")
        }
        return number
    }

    static func check(_ value: some BinaryInteger, among values: [Int], _ field: StaticString) throws(CodecError) -> Int {
        guard let number = Int(exactly: value), values.contains(number) else {
            throw CodecError(.fieldOutOfRange, "\(field) is \(value), not \(values.map { "\($0)" }.joined(separator: " or "))")
        }
        return number
    }

    /// The checked value as a payload stores it.
    static func wire(_ value: Int, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> UInt32 {
        UInt32(try check(value, range, field))
    }

    static func check(orNone value: UInt32, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> Int? {
        if value == 0 { return nil }
        return try check(value, range, field)
    }

    static func wire(_ value: Int?, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> UInt32 {
        guard let value else { return 0 }
        return UInt32(try check(value, range, field))
    }
}

/// A typed text takes two fields of a payload, an unsealed string and sealed bytes, of which at most one is set.
extension TypedText {
    /// - Throws: `fieldOutOfRange` if both fields are set.
    init(clear: String, sealed: Data, _ field: StaticString) throws(CodecError) {
        guard clear.isEmpty || sealed.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is there twice") }
        self = sealed.isEmpty ? .clear(clear) : .sealed(Sealed(Array(sealed)))
    }

    /// Empty if the text is sealed.
    var clearField: String { if case .clear(let text) = self { text } else { "" } }

    /// Empty if the text is not sealed.
    func sealedField(_ field: StaticString) throws(CodecError) -> Data {
        if case .sealed(let sealed) = self { try WireBytes.data(sealed, field) } else { Data() }
    }
}
