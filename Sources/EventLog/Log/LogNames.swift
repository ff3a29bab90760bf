internal import LMDB

/// The names that a log has stored for the numbers of types and tag kinds.
struct LogNames: Sendable {
    private(set) var types: [EventType: String] = [:]
    private(set) var kinds: [TagKind: String] = [:]

    /// Adds missing names if the log is writable.
    ///
    /// - Throws: ``EventLogError`` `.schemaConflict`, with nothing added.
    init(of storage: LogStorage, matching schema: Schema) throws(EventLogError) {
        try Self.check(schema)
        try load(from: storage)
        try refuseConflicts(with: schema)
        if storage.environment.access == .readWrite { try add(schema, to: storage) }
    }

    private mutating func load(from storage: LogStorage) throws(EventLogError) {
        do throws(LMDBError) {
            let environment = storage.environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(storage.names)
            while try cursor.next() { note(cursor.key, cursor.value) }
        } catch { throw EventLogError(error) }
    }

    private mutating func note(_ key: Span<UInt8>, _ value: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.append(copying: value)
        let name = String(decoding: bytes, as: UTF8.self)
        if key.count == 3, key[0] == UInt8(ascii: "t") { types[EventType(UInt16(key[1]) << 8 | UInt16(key[2]))] = name }
        if key.count == 2, key[0] == UInt8(ascii: "k") { kinds[TagKind(key[1])] = name }
    }

    private func refuseConflicts(with schema: Schema) throws(EventLogError) {
        for (type, name) in schema.types {
            if let stored = types[type], stored != name { throw Self.conflict("type \(type.rawValue)", stored, name) }
        }
        for (kind, rule) in schema.tagKinds {
            if let stored = kinds[kind], stored != rule.name { throw Self.conflict("tag kind \(kind.rawValue)", stored, rule.name) }
        }
    }

    private mutating func add(_ schema: Schema, to storage: LogStorage) throws(EventLogError) {
        let newTypes = schema.types.filter { types[$0.key] == nil }
        let newKinds = schema.tagKinds.filter { kinds[$0.key] == nil }.mapValues(\.name)
        if newTypes.isEmpty && newKinds.isEmpty { return }
        do throws(LMDBError) {
            let environment = storage.environment
            var transaction = try environment.write()
            for (type, name) in newTypes { try transaction.put(storage.names, LogMeta.key(of: type).span, Array(name.utf8).span) }
            for (kind, name) in newKinds { try transaction.put(storage.names, LogMeta.key(of: kind).span, Array(name.utf8).span) }
            // A crash here leaves the old names; no event needs a new one yet.
            try transaction.commit()
        } catch { throw EventLogError(error) }
        types.merge(newTypes) { old, _ in old }
        kinds.merge(newKinds) { old, _ in old }
    }

    private static func check(_ schema: Schema) throws(EventLogError) {
        if schema.tagKinds[TagKind(0)] != nil { throw EventLogError(.schemaConflict, "0 is no kind of tag.") }
        for name in Array(schema.types.values) + schema.tagKinds.values.map(\.name) {
            if name.isEmpty || name.utf8.count > LogLimits.nameBytesMax {
                throw EventLogError(.schemaConflict, "the name '\(name)' is not of 1 to \(LogLimits.nameBytesMax) bytes.")
            }
        }
    }

    private static func conflict(_ number: String, _ stored: String, _ name: String) -> EventLogError {
        EventLogError(.schemaConflict, "\(number) is '\(stored)' in the log and '\(name)' in this program.")
    }
}
