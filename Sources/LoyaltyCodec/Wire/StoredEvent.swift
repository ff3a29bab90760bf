internal import EventLog
internal import Loyalty
internal import SwiftProtobuf

/// An event in the form that decoders read. It is either a `Record` that is read in place or a `NewEvent` with its own copy of the data. So
/// decoders read both without converting one into the other.
protocol StoredEvent: ~Escapable {
    var type: EventType { get }
    var schemaVersion: UInt16 { get }
    var time: Timestamp { get }
    var actor: UInt128 { get }
    var tagCount: Int { get }
    var hasPayload: Bool { get }
    /// The payload as an array. A `Record` is copied for it, but payloads are small, and the most frequent event has none.
    var payloadBytes: [UInt8] { get }

    /// The value of the first tag of this kind; nil if the event has no such tag.
    func value(of kind: TagKind) -> UInt128?

    /// Whether the event has this tag, with this kind and this value.
    func has(_ tag: Tag) -> Bool
}

extension Record: StoredEvent {
    var hasPayload: Bool { !payload.isEmpty }

    var payloadBytes: [UInt8] {
        let payload = payload
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count)
        for index in payload.indices { bytes.append(payload[index]) }
        return bytes
    }
}

extension NewEvent: StoredEvent {
    var tagCount: Int { tags.count }
    var hasPayload: Bool { !payload.isEmpty }
    var payloadBytes: [UInt8] { payload }

    func value(of kind: TagKind) -> UInt128? {
        tags.first { $0.kind == kind }?.value
    }

    func has(_ tag: Tag) -> Bool { tags.contains(tag) }
}

/// Checked access to an event's fields for decoders. The bytes may come from any source, so they are not trusted.
extension StoredEvent where Self: ~Escapable {
    /// The hashes of the request that caused the event; nil unless the event has the tags of both hashes.
    var mark: RequestMark? {
        guard let request = value(of: .request), let digest = value(of: .digest) else { return nil }
        return RequestMark(request: request, digest: digest)
    }

    /// The id in a tag that the event type requires.
    func id<Noun>(_ kind: TagKind) throws(CodecError) -> ID<Noun> {
        ID(try required(kind))
    }

    /// The keyed hash in a tag that the event type requires.
    func secret(_ kind: TagKind) throws(CodecError) -> Secret {
        Secret(try required(kind))
    }

    /// Requires that the event has exactly `count` tags of its own, and besides them either no tags or the two tags with the hashes of a
    /// request.
    ///
    /// The caller also reads each tag that the event type requires. So if the count is right, the event has no other tag, and no second tag
    /// of the same kind.
    func expectTags(_ count: Int) throws(CodecError) {
        if tagCount == count || (tagCount == count + 2 && mark != nil) { return }
        throw CodecError(.wrongTags, "event type \(type.rawValue) has \(tagCount) tags, not \(count) and the marks of a request")
    }

    func expectNoPayload() throws(CodecError) {
        if hasPayload { throw CodecError(.damagedPayload, "event type \(type.rawValue) has a payload, and cannot have one") }
    }

    /// The payload as a message. Unknown fields are refused, because they hold data that this version would drop.
    func message<M: Message>(_: M.Type) throws(CodecError) -> M {
        let message: M
        do {
            message = try M(serializedBytes: payloadBytes)
        } catch {
            throw CodecError(.damagedPayload, "the payload of event type \(type.rawValue) does not decode: \(error)")
        }
        guard message.unknownFields.data.isEmpty else {
            throw CodecError(.damagedPayload, "the payload of event type \(type.rawValue) has fields unknown to version \(schemaVersion)")
        }
        return message
    }

    private func required(_ kind: TagKind) throws(CodecError) -> UInt128 {
        if let value = value(of: kind) { return value }
        let name = WireTag(kind)?.name ?? "\(kind.rawValue)"
        throw CodecError(.wrongTags, "event type \(type.rawValue) has no tag of kind \(name)")
    }
}
