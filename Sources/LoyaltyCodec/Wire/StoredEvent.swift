internal import EventLog
internal import Loyalty
internal import SwiftProtobuf

/// An event as decoders read it: a `Record` in place, or an owned `NewEvent`.
protocol StoredEvent: ~Escapable {
    var type: EventType { get }
    var schemaVersion: UInt16 { get }
    var time: Timestamp { get }
    var actor: UInt128 { get }
    var tagCount: Int { get }
    var hasPayload: Bool { get }
    /// A copy, but payloads are small, and the most frequent event has none.
    var payloadBytes: [UInt8] { get }
    /// A copy.
    var event: NewEvent { get }

    /// The first tag of this kind.
    func value(of kind: TagKind) -> UInt128?

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
    var event: NewEvent { self }

    func value(of kind: TagKind) -> UInt128? { tags.first { $0.kind == kind }?.value }

    func has(_ tag: Tag) -> Bool { tags.contains(tag) }
}

/// Checked access for decoders. The bytes are not trusted.
extension StoredEvent where Self: ~Escapable {
    /// nil unless both hashes are there.
    var mark: RequestMark? {
        guard let request = value(of: .request), let digest = value(of: .digest) else { return nil }
        return RequestMark(request: request, digest: digest)
    }

    func id<Noun>(_ kind: TagKind) throws(CodecError) -> ID<Noun> { ID(try required(kind)) }

    func secret(_ kind: TagKind) throws(CodecError) -> Secret { Secret(try required(kind)) }

    /// Requires exactly `count` tags, besides those of a request. The caller also reads each required tag, so no other and no second tag
    /// passes.
    func expectTags(_ count: Int) throws(CodecError) {
        if tagCount == count || (tagCount == count + 2 && mark != nil) { return }
        throw CodecError(.wrongTags, "event type \(type.rawValue) has \(tagCount) tags, not \(count) and the marks of a request")
    }

    /// Requires exactly `count` tags, besides those of a request, and no payload.
    func expectOnlyTags(_ count: Int) throws(CodecError) {
        try expectNoPayload()
        try expectTags(count)
    }

    func expectNoPayload() throws(CodecError) {
        if hasPayload { throw CodecError(.damagedPayload, "event type \(type.rawValue) has a payload, and cannot have one") }
    }

    /// Unknown fields are refused, because this version would drop their data.
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
