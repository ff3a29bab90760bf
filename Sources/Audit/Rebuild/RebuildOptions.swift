package import EventLog
package import Projections
internal import ReadModels

/// How read models are rebuilt.
package struct RebuildOptions: Sendable {
    /// Bytes that the batches of one model may take, at least ``memoryBytesMin``.
    package var memoryBytes = 2_048 << 20
    /// Whether the generation that is replaced is kept for going back.
    package var keepsOld = true
    /// Whether the content is compared with a replay before it comes into use. That folds the model's state in memory.
    package var checks = true
    /// How long to wait for the server to take a generation over.
    package var waitSecondsMax = 60.0

    /// Less would make the batches so small that nothing is gained by batches.
    package static let memoryBytesMin = 16 << 20

    package init() {}
}

/// The result of the rebuild of one model, which is in use.
package struct RebuildOutcome: Sendable {
    /// The model's name.
    package let model: String
    /// The generation that is in use now: `v1-g4`.
    package let generation: String
    /// Kept for going back; nil where none is.
    package let previous: String?
    /// The model's position at the hand-over.
    package let position: Position
    /// The position that an earlier attempt had reached. Events before it were not read again.
    package let resumedAt: Position
    /// Events that the model reads, of those looked at this time.
    package let applied: Int
    /// The rows in all tables.
    package let rows: Int
    /// SHA-256 of the content at ``position``.
    package let digest: String
    /// The process that switched.
    package let switcher: HandoverOffer.Switcher
    /// Wall-clock time, the check and the hand-over included.
    package let seconds: Double

    /// Events looked at this time, in a second.
    package var rate: Double { seconds > 0 ? Double(position.rawValue - min(position, resumedAt).rawValue) / seconds : 0 }
}
