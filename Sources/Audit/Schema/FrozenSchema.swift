internal import Crypto

/// `Fixtures/events/FROZEN.txt`: every value that a ``SchemaState`` ever had when it was first seen. Lines are added and never changed:
/// each begins with a hash of itself and the one before, so that a line that was changed or taken out is noticed.
struct FrozenSchema: Sendable {
    struct Entry: Hashable, Sendable {
        let name: String
        let value: String
    }

    private(set) var entries: [Entry] = []
    /// The first line that does not follow from the one before; from 1.
    private(set) var brokenLine: Int?
    private var chain = ""

    /// Reads what ``text`` wrote; empty text is nothing frozen.
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

    /// All of it as lines.
    var text: String {
        var (copy, lines) = (FrozenSchema(""), "")
        for entry in entries {
            copy.append(entry)
            lines += "\(copy.chain) \(entry.name) = \(entry.value)\n"
        }
        return lines
    }

    /// Freezes what is there for the first time; what is frozen stays as it is.
    mutating func add(_ state: SchemaState) {
        let known = Set(entries.map(\.name))
        for (name, value) in state.values where !known.contains(name) { append(Entry(name: name, value: value)) }
    }

    private mutating func append(_ entry: Entry) {
        let hash = SHA256.hash(data: Array("\(chain) \(entry.name) = \(entry.value)".utf8))
        chain = String(ModelDigest.hex(Array(hash)).prefix(16))
        entries.append(entry)
    }
}
