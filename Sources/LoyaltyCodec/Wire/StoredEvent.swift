internal import EventLog

/// An event as decoders read it: a record in place or an owned copy, without either being turned into the other.
protocol StoredEvent: ~Escapable {
    var type: EventType { get }
    var schemaVersion: UInt16 { get }
    var time: Timestamp { get }
    var actor: UInt128 { get }
    var tagCount: Int { get }
    var hasPayload: Bool { get }
    /// A copy: payloads are small, and the hottest event has none.
    var payloadBytes: [UInt8] { get }

    /// The value of the first tag of this kind.
    func value(of kind: TagKind) -> UInt128?

    /// Whether this is one of the tags.
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
