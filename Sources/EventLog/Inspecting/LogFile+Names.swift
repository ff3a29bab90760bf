internal import LMDB

extension LogFile {
    /// What is wrong with what the log says of itself and with the names that it has given to numbers.
    ///
    /// - Parameter schema: what this program means by them.
    public func nameProblems(by schema: Schema) -> [String] {
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            guard let meta = tables["meta"], let names = tables["names"] else { return ["the log lacks its table meta or names."] }
            return metaProblems(try entries(of: meta)) + nameProblems(try entries(of: names), schema)
        } catch { return [error.statement] }
    }

    /// Refuses another program's file, which may be whole and yet is no log. One whose tables cannot be found is not judged.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/notALog``.
    public func requireOurs() throws(EventLogError) {
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            if tables["events"] != nil { return }
            if let meta = tables["meta"], try entries(of: meta)[LogMeta.magicKey] == LogMeta.magic { return }
        } catch { return }
        throw EventLogError(.notALog, "\(file.path) is an LMDB environment, but not one of ours.")
    }

    func entries(of tree: TreeRoot) throws(LMDBError) -> [[UInt8]: [UInt8]] {
        var entries: [[UInt8]: [UInt8]] = [:]
        var cursor = FileCursor(tree, in: file)
        var value: [UInt8] = []
        while try cursor.next() {
            try cursor.value(into: &value)
            entries[cursor.keyBytes] = value
        }
        return entries
    }

    private func metaProblems(_ entries: [[UInt8]: [UInt8]]) -> [String] {
        var problems: [String] = []
        if entries[LogMeta.magicKey] != LogMeta.magic { problems.append("it does not say that it is a log.") }
        var format: [UInt8] = []
        format.append(littleEndian: LogMeta.format)
        if entries[LogMeta.formatKey] != format { problems.append("it is not of format \(LogMeta.format).") }
        guard let created = entries[LogMeta.createdKey], created.count == 8 else {
            return problems + ["it does not say when it was created."]
        }
        problems += [LogMeta.createdKey, LogMeta.originKey].compactMap { guardProblem(of: $0, in: entries) }
        for key in entries.keys where !LogMeta.keys.contains(key) { problems.append("it says something under the strange key \(key).") }
        return problems
    }

    /// Logs older than guards have none, and logs older than names no name.
    private func guardProblem(of key: [UInt8], in entries: [[UInt8]: [UInt8]]) -> String? {
        guard let guarding = entries[LogMeta.guardKey(of: key)], guarding != entries[key]?.map({ ~$0 }) else { return nil }
        return "its \(String(decoding: key, as: UTF8.self)) does not fit the guard of it."
    }

    private func nameProblems(_ entries: [[UInt8]: [UInt8]], _ schema: Schema) -> [String] {
        entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, value in
            let name = String(decoding: value, as: UTF8.self)
            let expected: String?
            switch (key.first, key.count) {
            case (UInt8(ascii: "t"), 3): expected = schema.types[EventType(UInt16(key[1]) << 8 | UInt16(key[2]))]
            case (UInt8(ascii: "k"), 2): expected = schema.tagKinds[TagKind(key[1])]?.name
            default: return "a name under the strange key \(key)."
            }
            return expected == name ? nil : "number \(key.dropFirst()) is named '\(name)', and to this program \(expected ?? "nothing")."
        }
    }
}
