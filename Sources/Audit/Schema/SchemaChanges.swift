/// `Fixtures/events/CHANGES.md`: the reasons for everything that means something else than it did.
///
/// A change is a line ``- `NAME`: `OLD` → `NEW`: reason``; everything else is prose. `gone` stands for no value at all.
struct SchemaChanges: Sendable {
    struct Change: Hashable, Sendable {
        let name: String
        let old: String
        let new: String
        let reason: String
    }

    /// In the order in which they were made.
    let all: [Change]

    static let gone = "gone"

    init(_ text: String) {
        all = text.split(separator: "\n").compactMap(Self.change)
    }

    private static func change(_ line: Substring) -> Change? {
        let parts = line.split(separator: "`", omittingEmptySubsequences: false)
        guard parts.count >= 7, parts[0] == "- ", parts[2] == ": ", parts[4] == " → ", parts[6].hasPrefix(":") else { return nil }
        let reason = parts[6...].joined(separator: "`").dropFirst().drop { $0 == " " }
        return Change(name: String(parts[1]), old: String(parts[3]), new: String(parts[5]), reason: String(reason))
    }

    /// The line that would record a change, for whoever has a reason.
    static func line(_ name: String, _ old: String, _ new: String) -> String { "- `\(name)`: `\(old)` → `\(new)`: " }
}
