/// One build of a model: the schema version of its rows, and which build of it this is. Its text is its folder's name.
package struct Generation: Hashable, Comparable, Sendable {
    package let schemaVersion: Int
    package let number: Int

    package init(schemaVersion: Int, number: Int) {
        self.schemaVersion = schemaVersion
        self.number = number
    }

    /// `v1-g3`
    package var text: String { "v\(schemaVersion)-g\(number)" }

    /// Nil for anything but ``text`` of some generation, leading zeros included: one generation has one name.
    package init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].first == "v", parts[1].first == "g" else { return nil }
        guard let version = Int(parts[0].dropFirst()), let number = Int(parts[1].dropFirst()) else { return nil }
        self.init(schemaVersion: version, number: number)
        guard version >= 0, (0..<Int.max).contains(number), self.text == text else { return nil }
    }

    /// By number alone: a later build replaces an earlier one, whatever its schema.
    package static func < (left: Generation, right: Generation) -> Bool {
        (left.number, left.schemaVersion) < (right.number, right.schemaVersion)
    }
}
