public import Audit
internal import Crypto
internal import EventLog
internal import Foundation
internal import Merkle

/// `Fixtures/events/FROZEN.txt`: the first recorded value of every name in ``SchemaState``. Lines are added and never changed. Each begins
/// with a hash of the rest of the line and of the previous line's hash, so that a changed or removed line is detected.
struct FrozenSchema: Sendable {
    struct Entry: Hashable, Sendable {
        let name: String
        let value: String
    }

    private(set) var entries: [Entry] = []
    /// The number of the first line whose hash does not match, counted from 1; nil if all hashes match.
    private(set) var brokenLine: Int?
    private var chain = ""

    /// Parses the content of `FROZEN.txt`, which the property ``text`` produces. Empty content gives a schema without frozen values.
    init(_ text: String) {
        for (index, line) in text.split(separator: "\n").enumerated() {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let equals = parts[1].firstRange(of: " = ") else {
                brokenLine = brokenLine ?? index + 1
                continue
            }
            append(Entry(name: String(parts[1][..<equals.lowerBound]), value: String(parts[1][equals.upperBound...])))
            if chain != parts[0] { brokenLine = brokenLine ?? index + 1 }
        }
    }

    /// All frozen values as lines.
    var text: String {
        var (copy, lines) = (FrozenSchema(""), "")
        for entry in entries {
            copy.append(entry)
            lines += "\(copy.chain) \(entry.name) = \(entry.value)\n"
        }
        return lines
    }

    /// Freezes the values of names that are not frozen yet. Values that are already frozen are not changed.
    mutating func add(_ state: SchemaState) {
        let known = Set(entries.map(\.name))
        for (name, value) in state.values where !known.contains(name) { append(Entry(name: name, value: value)) }
    }

    private mutating func append(_ entry: Entry) {
        let hash = SHA256.hash(data: Array("\(chain) \(entry.name) = \(entry.value)".utf8))
        chain = String(Hexadecimal.text(hash).prefix(16))
        entries.append(entry)
    }
}

/// The fixtures of every event type in every version ever stored: golden events, stored logs, and `events.proto`, the description of
/// payloads.
public struct SchemaFixtures: Sendable {
    /// One golden event: the stored bytes of an example event.
    struct Golden: Sendable {
        /// The file's name without its ending, such as `CardStamped.v1.three`.
        let name: String
        let bytes: [UInt8]
        /// The decoded event; nil if the bytes are not a record.
        let event: NewEvent?
    }

    /// The golden events, in the order of their names.
    let goldens: [Golden]
    /// The bytes of the stored logs, in the binary form of ``Export``, by name.
    let logs: [(name: String, bytes: [UInt8])]
    let messages: [ProtoMessage]
    /// The frozen names and values as text; empty if there are none yet.
    let frozen: String
    /// The reasons for changes of frozen values, as text.
    let changes: String
    /// The text of the stored catalogue; see ``EventCatalogue``.
    let catalogue: String

    /// The path of the fixtures' folder, relative to a repository's root.
    static let folder = "Fixtures/events"

    /// - Parameter repository: the root of the sources.
    /// - Throws: ``AuditError/Code/missing`` if the repository has no folder of fixtures, or no `events.proto`.
    public init(repository: String) throws(AuditError) {
        let folder = "\(repository)/\(Self.folder)"
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder).sorted(),
            let proto = FileManager.default.contents(atPath: "\(repository)/Sources/LoyaltyCodec/Proto/events.proto")
        else {
            throw AuditError(
                .missing, "\(repository) has no \(Self.folder), or no events.proto.", remedy: "Name the root of the sources.")
        }
        func bytes(_ file: String) -> [UInt8] { FileManager.default.contents(atPath: "\(folder)/\(file)").map { [UInt8]($0) } ?? [] }
        func text(_ file: String) -> String { String(decoding: bytes(file), as: UTF8.self) }
        goldens = files.filter { $0.hasSuffix(".hex") }.map { Self.golden($0, text($0)) }
        logs = files.filter { $0.hasSuffix(".events") }.map { (String($0.dropLast(7)), bytes($0)) }
        messages = ProtoMessage.all(in: String(decoding: proto, as: UTF8.self))
        (frozen, changes, catalogue) = (text("FROZEN.txt"), text("CHANGES.md"), text("CATALOGUE.md"))
    }

    private static func golden(_ file: String, _ hex: String) -> Golden {
        let digits = hex.compactMap(\.hexDigitValue)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        return Golden(name: String(file.dropLast(4)), bytes: bytes, event: Record(bytes.span)?.event)
    }
}
