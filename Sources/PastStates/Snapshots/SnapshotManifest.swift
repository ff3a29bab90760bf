internal import Crypto
public import EventLog
internal import LoyaltyCodec
internal import Merkle
internal import Projections
internal import ReadModels

/// The description of a snapshot: lines of text. The last line contains a digest of all lines before it.
///
/// ```
/// greentea-snapshot 1
/// position 1000000
/// fingerprint 0123456789abcdef
/// created 1700000000000000
/// model card-progress 2 DIGEST
/// table cards 61234 DIGEST
/// …
/// times DIGEST
/// sha256 DIGEST
/// ```
/// A model's digest is computed as in ``ModelDigest``. A table's digest is the digest of the table's index, which has a digest for each
/// block of rows. So a reader verifies each block with the table's index, and need not read any other block.
struct SnapshotManifest: Hashable, Sendable {
    static let fileName = "manifest"
    private static let first = "greentea-snapshot 1"

    struct Table: Hashable, Sendable {
        let name: String
        let rows: Int
        let index: String
    }

    struct Model: Hashable, Sendable {
        let name: String
        let version: Int
        let digest: String
        var tables: [Table]
    }

    let mark: ModelMark
    /// The log's creation time in microseconds.
    let created: Int64
    let models: [Model]
    let times: String

    init(mark: ModelMark, created: Int64, models: [Model], times: String) {
        (self.mark, self.created, self.models, self.times) = (mark, created, models, times)
    }

    var rows: Int { models.reduce(0) { $0 + $1.tables.reduce(0) { $0 + $1.rows } } }

    var text: String {
        var lines = [
            Self.first, "position \(mark.position)", "fingerprint \(String(mark.fingerprint, radix: 16))", "created \(created)",
        ]
        for model in models {
            lines.append("model \(model.name) \(model.version) \(model.digest)")
            lines += model.tables.map { "table \($0.name) \($0.rows) \($0.index)" }
        }
        lines.append("times \(times)")
        let sealed = lines.map { $0 + "\n" }.joined()
        return sealed + "sha256 \(Self.digest(Array(sealed.utf8)))\n"
    }

    /// Nil for anything but the exact ``text`` of a manifest.
    init?(text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        var numbers: [String: String] = [:]
        var models: [Model] = []
        for words in lines.dropFirst() {
            switch (words.first, words.count) {
            case ("model", 4): models.append(Model(name: words[1], version: Int(words[2]) ?? -1, digest: words[3], tables: []))
            case ("table", 4) where !models.isEmpty:
                models[models.count - 1].tables.append(Table(name: words[1], rows: Int(words[2]) ?? -1, index: words[3]))
            case (let name?, 2): numbers[name] = words[1]
            default: return nil
            }
        }
        guard let position = numbers["position"].flatMap({ UInt64($0) }), let times = numbers["times"],
            let fingerprint = numbers["fingerprint"].flatMap({ UInt64($0, radix: 16) }),
            let created = numbers["created"].flatMap({ Int64($0) })
        else { return nil }
        self.init(mark: ModelMark(position: Position(position), fingerprint: fingerprint), created: created, models: models, times: times)
        guard self.text == text else { return nil }
    }

    static func digest(_ bytes: [UInt8]) -> String { Hexadecimal.text(SHA256.hash(data: bytes)) }
}

/// The state of one snapshot, for lists and checks.
public struct SnapshotState: Hashable, Sendable {
    public let name: String
    public let position: Position
    /// Nil if the snapshot cannot be opened.
    public let rows: Int?
    public let bytes: Int
    /// Words that follow "it" in a sentence; nil if the snapshot is usable.
    public let fault: String?
}

extension SnapshotState {
    /// One line for people to read.
    public var line: String { line(faultless: "usable") }

    /// The same for a snapshot that was compared with the log.
    public var checkedLine: String { line(faultless: "equal to the log") }

    private func line(faultless: String) -> String {
        "\(name)  position \(position)  rows \(rows.map { "\($0)" } ?? "unknown")  bytes \(bytes)  "
            + (fault.map { "not used: it \($0)" } ?? faultless)
    }

    /// One JSON object with all properties.
    public var json: String {
        JSONText.object([
            ("snapshot", JSONText.string(name)), ("position", "\(position)"), ("rows", rows.map { "\($0)" } ?? "null"),
            ("bytes", "\(bytes)"), ("fault", fault.map { JSONText.string($0) } ?? "null"),
        ])
    }
}
