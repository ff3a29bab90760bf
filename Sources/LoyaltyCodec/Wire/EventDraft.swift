internal import EventLog
internal import Loyalty
internal import SwiftProtobuf

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
