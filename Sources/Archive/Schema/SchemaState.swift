internal import Audit
internal import Crypto
public import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Merkle
internal import Projections
internal import ReadModels

/// The meaning that this program's code gives to the fixtures and to the numbers of its schema, as named values. The values can be compared
/// with the frozen values in `FROZEN.txt`.
///
/// | name | value |
/// |---|---|
/// | `type 41`, `tag 5` | the number's meaning |
/// | `version ShopOpened.v1` | that the version can be read |
/// | `field CardOpened.1`, `value CampaignPublished.Kind.1` | the number's meaning in a payload |
/// | `event CardStamped.v1 bytes`, `log log-1 bytes` | hash of the fixture |
/// | `event CardStamped.v1 fact`, `log log-1 facts` | hash of what it decodes to |
/// | `log log-1 model card-progress.v2` | the model's digest after the log |
public struct SchemaState: Sendable {
    /// In the order in which they are frozen.
    let values: [(name: String, value: String)]

    init(values: [(name: String, value: String)]) { self.values = values }

    /// - Parameter log: creates an empty log, into which a stored log is imported.
    /// - Throws: ``AuditError/Code/input`` for a damaged stored log.
    public init(of fixtures: SchemaFixtures, in log: () throws -> EventLog) throws {
        var values = Self.numbers + Self.payloads(fixtures.messages)
        for golden in fixtures.goldens {
            values.append(("event \(golden.name) bytes", Self.hash(golden.bytes)))
            values.append(("event \(golden.name) fact", Self.fact(golden)))
        }
        for (name, bytes) in fixtures.logs {
            values.append(("log \(name) bytes", Self.hash(bytes)))
            values += try Self.decoded(name, bytes, try log())
        }
        self.values = values
    }

    private static var numbers: [(name: String, value: String)] {
        let schema = LoyaltySchema.schema
        let types = schema.types.sorted { $0.key < $1.key }
        var values = types.map { ("type \($0.key.rawValue)", $0.value) }
        values += schema.tagKinds.sorted { $0.key < $1.key }.map {
            ("tag \($0.key.rawValue)", $0.value.name + ($0.value.isIndexed ? "" : ", not indexed"))
        }
        for (type, name) in types {
            let retired = LoyaltySchema.retired.filter { $0.type == type }.map(\.version)
            for version in Set(retired + [LoyaltySchema.versions[type] ?? 1]).sorted() {
                values.append(("version \(name).v\(version)", "readable"))
            }
        }
        return values
    }

    private static func payloads(_ messages: [ProtoMessage]) -> [(name: String, value: String)] {
        messages.flatMap { message in
            message.fields.map { field in
                let type = field.label.isEmpty ? field.type : "\(field.label) \(field.type)"
                return ("field \(message.name).\(field.number)", "\(field.name), \(type)")
            } + message.values.sorted { $0.key < $1.key }.map { ("value \(message.name).\($0.key)", $0.value) }
        }
    }

    private static func fact(_ golden: SchemaFixtures.Golden) -> String {
        guard let event = golden.event else { return "refused: no record" }
        do throws(CodecError) {
            let fact = try LoyaltyCodec.decode(SequencedEvent(position: Position(1), event: event))
            return hash(Array(FactText.json(fact).utf8))
        } catch { return "refused: \(error.code)" }
    }

    private static func decoded(_ name: String, _ bytes: [UInt8], _ log: EventLog) throws -> [(name: String, value: String)] {
        var rest = bytes[...]
        _ = try Import(into: log).run { count in
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var (facts, refused) = (SHA256(), String?.none)
        try log.scan { position, record in
            do throws(CodecError) {
                facts.update(data: Array((FactText.json(try LoyaltyCodec.decode(record, at: position)) + "\n").utf8))
            } catch { refused = "refused: \(error.code) at position \(position)" }
            return refused == nil
        }
        let models = try refused == nil ? StateDigest(of: Replay(of: log)).models : []
        return [("log \(name) facts", refused ?? hex(facts.finalize()))]
            + models.map { digest in
                let version = ReadModels.model(named: digest.model)?.schemaVersion ?? 0
                return ("log \(name) model \(digest.model).v\(version)", String(digest.hex.prefix(32)))
            }
    }

    static func hash(_ bytes: [UInt8]) -> String { hex(SHA256.hash(data: bytes)) }

    /// Half of the digest suffices to distinguish values.
    private static func hex(_ digest: SHA256.Digest) -> String { String(Hexadecimal.text(digest).prefix(32)) }
}
