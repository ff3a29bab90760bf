package import EventLog

/// Compares a complete generation with what it must hold, before anybody relies on it. Models of this layer know no replay.
package struct ContentCheck: Sendable {
    /// What was found right: the digest of the content, and how many rows there are.
    package struct Verdict: Sendable {
        package let digest: String
        package let rows: Int

        package init(digest: String, rows: Int) {
            (self.digest, self.rows) = (digest, rows)
        }
    }

    /// - Throws: ``ReadModelError/Code/mismatch``; the generation is dropped then.
    package let verdict: @Sendable (ModelStore, Position) throws(ReadModelError) -> Verdict

    package init(_ verdict: @escaping @Sendable (ModelStore, Position) throws(ReadModelError) -> Verdict) {
        self.verdict = verdict
    }

    /// Nothing but what ``ModelBuilder`` itself looks at.
    package static let none = ContentCheck { _, _ in Verdict(digest: "", rows: 0) }
}
