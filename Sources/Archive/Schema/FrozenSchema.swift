public import Audit
internal import Crypto
internal import EventLog
internal import Foundation
internal import Merkle

/// `Fixtures/events/FROZEN.txt`: the first recorded value of every name in ``SchemaState``.
///
/// Lines are only added. Each begins with a hash over the previous line's hash and the line, so that a changed or removed line is detected.
struct FrozenSchema: Sendable {
    struct Entry: Hashable, Sendable {
        let name: String
        let value: String
    }

    private(set) var entries: [Entry] = []
    /// Counted from 1; nil if all hashes match.
    private(set) var brokenLine: Int?
    private var chain = ""

    /// Parses ``text``. Empty content gives a schema without frozen values.
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

    var text: String {
        var (copy, lines) = (FrozenSchema(""), "")
        for entry in entries {
            copy.append(entry)
            lines += "\(copy.chain) \(entry.name) = \(entry.value)\n"
        }
        return lines
    }

    /// Freezes only the values of names that are not frozen yet.
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

/// The fixtures of every event type in every stored version: golden events, logs, and `events.proto`.
public struct SchemaFixtures: Sendable {
    struct Golden: Sendable {
        /// Without its ending, such as `CardStamped.v1.three`.
        let name: String
        let bytes: [UInt8]
        /// Nil if the bytes are not a record.
        let event: NewEvent?
    }

    let goldens: [Golden]
    /// In the binary form of ``Export``, by name.
    let logs: [(name: String, bytes: [UInt8])]
    let messages: [ProtoMessage]
    /// Empty if there are none yet.
    let frozen: String
    /// The reasons for changes of frozen values.
    let changes: String
    let catalogue: String

    static let folder = "Fixtures/events"

    /// - Parameter repository: the root of the sources.
    /// - Throws: ``AuditError/Code/missing`` without the folder of fixtures or `events.proto`.
    public init(repository: String) throws(AuditError) {
        let folder = "\(repository)/\(Self.folder)"
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder).sorted(),
            let proto = FileManager.default.contents(atPath: "\(repository)/Sources/LoyaltyCodec/Proto/events.proto")
        else {
            throw AuditError(.missing, "\(repository) has no \(Self.folder), or no events.proto.", remedy: "Name the root of the sources.")
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
