package import EventLog
package import ReadModels

/// What the rebuild of one model came to: it is in use.
package struct RebuildOutcome: Sendable {
    /// The model's name.
    package let model: String
    /// In use now: `v1-g4`.
    package let generation: String
    /// Kept for going back; nil where none is.
    package let previous: String?
    /// Where it stood when it was handed over.
    package let position: Position
    /// Where an earlier attempt had come to; what lies before was not looked at again.
    package let resumedAt: Position
    /// Events that the model reads, of those looked at this time.
    package let applied: Int
    /// In all tables.
    package let rows: Int
    /// SHA-256 of the content at ``position``.
    package let digest: String
    /// Who put it into use.
    package let switcher: HandoverOffer.Switcher
    /// Wall-clock time, the check and the hand-over included.
    package let seconds: Double

    /// Events looked at this time, in a second.
    package var rate: Double { seconds > 0 ? Double(position.rawValue - min(position, resumedAt).rawValue) / seconds : 0 }
}
