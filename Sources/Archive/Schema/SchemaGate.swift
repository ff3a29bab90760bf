/// Refuses changes of the code that give stored events another meaning. Some kinds are allowed with a reason in `CHANGES.md`.
public struct SchemaGate: Sendable {
    private let frozen: FrozenSchema
    private let changes: SchemaChanges
    private let state: SchemaState

    /// - Parameter state: the values that this program's code computes from the fixtures.
    public init(_ fixtures: SchemaFixtures, _ state: SchemaState) {
        self.init(frozen: FrozenSchema(fixtures.frozen), changes: SchemaChanges(fixtures.changes), state: state)
    }

    init(frozen: FrozenSchema, changes: SchemaChanges, state: SchemaState) {
        (self.frozen, self.changes, self.state) = (frozen, changes, state)
    }

    /// `FROZEN.txt` with lines for the values that are not frozen yet.
    public var recorded: String {
        var frozen = frozen
        frozen.add(state)
        return frozen.text
    }

    /// The refused changes, each with its remedy.
    public var refusals: [String] {
        var refusals: [String] = []
        if let line = frozen.brokenLine {
            refusals.append("FROZEN.txt, line \(line) was changed or taken out. Restore the file: lines are only ever added to it.")
        }
        let current = Dictionary(state.values.map { ($0.name, $0.value) }) { first, _ in first }
        for entry in frozen.entries {
            if let refusal = refusal(of: entry, now: current[entry.name] ?? SchemaChanges.gone, current) { refusals.append(refusal) }
        }
        let known = Set(frozen.entries.map(\.name))
        for (name, value) in state.values where !known.contains(name) {
            refusals.append(
                "\(name) = \(value) is new. Freeze it: GREENTEA_RECORD=1 swift test --filter SchemaGateTests, and commit FROZEN.txt.")
        }
        return refusals + unreasoned
    }

    private func refusal(of entry: FrozenSchema.Entry, now: String, _ current: [String: String]) -> String? {
        if let word = Self.forever(entry.name) {
            return now == entry.value ? nil : "\(entry.name) was `\(entry.value)` and is `\(now)`. \(word)"
        }
        var expected = entry.value
        for change in changes.all where change.name == entry.name {
            guard change.old == expected else {
                return "CHANGES.md says that \(entry.name) was `\(change.old)`, and it was `\(expected)`. Correct the line."
            }
            expected = change.new
        }
        if now == expected { return nil }
        if now == SchemaChanges.gone, hasNewer(entry.name, current) { return nil }
        return """
            \(entry.name) was `\(expected)` and is `\(now)`. Events that are stored would mean something else. If that is not \
            what you want, \
            undo it, or give the event a new version with an upcaster (Sources/LoyaltyCodec/CHANGING.md). If it is, say why in \
            Fixtures/events/CHANGES.md:
            \(SchemaChanges.line(entry.name, expected, now))
            """
    }

    /// The reason why a change is never allowed; nil if a stated reason suffices.
    private static func forever(_ name: String) -> String? {
        let words = name.split(separator: " ")
        switch (words.first, words.last) {
        case ("type", _), ("tag", _):
            return "A number means one thing for ever, in every log: give the old meaning back and take a new number."
        case ("version", _):
            return
                "A version that was written stays readable, and none is lowered: raise currentVersion, and keep an upcaster for this one."
        case (_, "bytes"):
            return "A fixture never changes and is never deleted: restore it. A new shape gets a new version and a new file."
        default: return nil
        }
    }

    /// Models are only rebuilt from events, so a new version of a model changes the meaning of no event.
    private func hasNewer(_ name: String, _ current: [String: String]) -> Bool {
        guard name.contains(" model "), let (model, version) = Self.versioned(name) else { return false }
        return current.keys.contains { Self.versioned($0).map { $0.0 == model && $0.1 > version } ?? false }
    }

    private static func versioned(_ name: String) -> (String, Int)? {
        guard let range = name.ranges(of: ".v").last, let version = Int(name[range.upperBound...]) else { return nil }
        return (String(name[..<range.lowerBound]), version)
    }

    private var unreasoned: [String] {
        changes.all.filter { $0.reason.split(separator: " ").count < 3 }
            .map { "CHANGES.md gives no reason for \($0.name). Say why in a sentence." }
    }
}

/// `Fixtures/events/CHANGES.md`: the reasons for all changes of frozen values.
///
/// A change is a line ``- `NAME`: `OLD` → `NEW`: reason``; all other lines are prose. `gone` stands for a missing value.
struct SchemaChanges: Sendable {
    struct Change: Hashable, Sendable {
        let name: String
        let old: String
        let new: String
        let reason: String
    }

    let all: [Change]

    static let gone = "gone"

    init(_ text: String) { all = text.split(separator: "\n").compactMap(Self.change) }

    private static func change(_ line: Substring) -> Change? {
        let parts = line.split(separator: "`", omittingEmptySubsequences: false)
        guard parts.count >= 7, parts[0] == "- ", parts[2] == ": ", parts[4] == " → ", parts[6].hasPrefix(":") else { return nil }
        let reason = parts[6...].joined(separator: "`").dropFirst().drop { $0 == " " }
        return Change(name: String(parts[1]), old: String(parts[3]), new: String(parts[5]), reason: String(reason))
    }

    static func line(_ name: String, _ old: String, _ new: String) -> String { "- `\(name)`: `\(old)` → `\(new)`: " }
}
