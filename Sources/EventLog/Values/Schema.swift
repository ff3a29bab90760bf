/// The numbers that an application's records use, and their names.
///
/// At each opening for writing the names are compared with those in the log: a new number is added, a number under another name
/// is refused (``EventLogError/Code-swift.struct/schemaConflict``), for then the application and the log mean different things.
/// A number that the log knows and the schema does not is left alone: its records stay readable.
public struct Schema: Sendable {
    /// The name of each event type.
    public let types: [EventType: String]
    /// Name and treatment of each kind of tag.
    public let tagKinds: [TagKind: TagKindRule]

    /// A schema. Names must not be empty nor longer than ``LogLimits/nameBytesMax``, and kinds not 0; opening a log checks it.
    public init(types: [EventType: String], tagKinds: [TagKind: TagKindRule]) {
        self.types = types
        self.tagKinds = tagKinds
    }

    /// Whether tags of this kind may be asked for.
    func isIndexed(_ kind: TagKind) -> Bool { tagKinds[kind]?.isIndexed ?? false }
}
