public import LMDB

extension Record {
    /// One of the tags, which ascend; traps unless `index` is below ``tagCount``.
    @inlinable
    public func tag(at index: Int) -> Tag { Tag(kind(at: index), value(at: index)) }

    /// The value of the first tag of a kind: the only one, for most kinds.
    ///
    /// - Returns: nil when there is no tag of this kind.
    @inlinable
    public func value(of kind: TagKind) -> UInt128? {
        var index = 0
        while index < tagCount {
            if self.kind(at: index) == kind { return value(at: index) }
            index += 1
        }
        return nil
    }

    /// Whether this is one of the tags.
    @inlinable
    public func has(_ tag: Tag) -> Bool {
        var index = 0
        while index < tagCount {
            if kind(at: index) == tag.kind, value(at: index) == tag.value { return true }
            index += 1
        }
        return false
    }

    /// An owned copy, which may be kept.
    public var event: NewEvent {
        var tags: [Tag] = []
        tags.reserveCapacity(tagCount)
        for index in 0..<tagCount { tags.append(tag(at: index)) }
        var payload: [UInt8] = []
        payload.append(copying: self.payload)
        return NewEvent(type: type, schemaVersion: schemaVersion, time: time, actor: actor, tags: tags, payload: payload)
    }

    /// Whether the tags are real ones and each is greater than the one before: checked once, relied upon by nobody's trust.
    @inlinable
    var tagsAscend: Bool {
        var last: UInt8 = 0
        var index = 0
        while index < tagCount {
            // Mostly the kinds ascend, so that values are not looked at.
            let kind = kind(at: index).rawValue
            if kind <= last, kind < last || kind == 0 || value(at: index - 1) >= value(at: index) { return false }
            last = kind
            index += 1
        }
        return true
    }

    @inlinable
    func kind(at index: Int) -> TagKind { TagKind(bytes[RecordLayout.tagsAt + index * RecordLayout.tagBytes]) }

    @inlinable
    func value(at index: Int) -> UInt128 {
        precondition(index >= 0 && index < tagCount, "no such tag")
        return bytes.littleEndian128(at: RecordLayout.tagsAt + index * RecordLayout.tagBytes + 1)
    }
}
