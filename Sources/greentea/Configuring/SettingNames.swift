import Foundation

/// The names that a configuration file uses, held against those that are known: a misspelt one would be passed over in silence.
struct SettingNames {
    private static let known = Setting.allCases.flatMap(\.names)
    /// More letters that differ than this are another word.
    private static let differencesMax = 3

    let file: String

    /// - Parameter isYAML: else it is JSON.
    /// - Throws: `Refusal.badConfiguration` for the first name that nobody knows.
    func check(isYAML: Bool) throws(Refusal) {
        guard let bytes = FileManager.default.contents(atPath: file) else { return }
        let names = isYAML ? Self.namesOfYAML(bytes) : Self.namesOfJSON(bytes)
        guard let unknown = names.first(where: { !Self.known.contains($0) }) else { return }
        let nearest = Self.known.map { (name: $0, count: Self.differences($0, unknown)) }.min { $0.count < $1.count }
        let hint = nearest.flatMap { $0.count <= Self.differencesMax ? "; did you mean '\($0.name)'?" : nil }
        throw .badConfiguration(
            "the configuration file \(file)",
            "it has '\(unknown)', which is no setting" + (hint ?? "; there are \(Self.known.sorted().joined(separator: ", "))"))
    }

    private static func namesOfJSON(_ bytes: Data) -> [String] {
        ((try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any])?.keys.sorted() ?? []
    }

    /// Of lines such as `name: value` at the left margin. Settings are not nested, so that these are all names there are.
    private static func namesOfYAML(_ bytes: Data) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
            guard let first = line.first, first.isLetter || "'\"_".contains(first), let colon = line.firstIndex(of: ":") else { return nil }
            return line[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: " '\""))
        }
    }

    /// Letters to add, take out or exchange to get from one to the other (Levenshtein), capitals or not.
    private static func differences(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.lowercased()), Array(second.lowercased()))
        var row = Array(0...second.count)
        for (index, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (place, other) in second.enumerated() {
                let exchanged = diagonal + (letter == other ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(exchanged, row[place] + 1, diagonal + 1)
            }
        }
        return row[second.count]
    }
}
