/// The kinds of tag that the index holds, for a look-up by number on the writer's path.
struct IndexedKinds: Sendable {
    private let flags: [Bool]

    init(_ schema: Schema) {
        var flags = [Bool](repeating: false, count: 256)
        for (kind, rule) in schema.tagKinds { flags[Int(kind.rawValue)] = rule.isIndexed }
        self.flags = flags
    }

    func contains(_ kind: TagKind) -> Bool { flags[Int(kind.rawValue)] }

    /// The indexed kinds, ascending: stored with the index, which is of no use to a schema with others.
    var bytes: [UInt8] { (UInt8.min...UInt8.max).filter { flags[Int($0)] } }
}
