package import EventLog

/// A generation that is complete, flushed and sealed, and not in use yet.
package struct BuiltGeneration: Sendable {
    package let generation: Generation
    package let mark: ModelMark
    /// As the check gave it; empty where nothing was checked.
    package let digest: String
    let seal: String
    /// Where an earlier attempt had come to.
    package let resumedAt: Position
    /// Events that the model reads, of those looked at this time.
    package let applied: Int
    /// Rows in all its tables.
    package let rows: Int

    /// - Parameter seal: its ``FileSeal``'s text.
    package init(
        _ generation: Generation, at mark: ModelMark, digest: String, seal: String, rows: Int, applied: Int, resumedAt: Position
    ) {
        (self.generation, self.mark, self.digest, self.seal) = (generation, mark, digest, seal)
        (self.rows, self.applied, self.resumedAt) = (rows, applied, resumedAt)
    }

    /// What to ask the server for.
    package func handover(keepsOld: Bool) -> Handover {
        Handover(generation, at: mark, digest: digest, seal: seal, keepsOld: keepsOld)
    }
}
