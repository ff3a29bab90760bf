package import EventLog
package import Projections
internal import ReadModels

/// Options for rebuilding read models.
package struct RebuildOptions: Sendable {
    /// In bytes, shared by all concurrent builds; at least ``memoryBytesMin``.
    package var memoryBytes = 2_048 << 20
    /// Whether the replaced generation is kept for a return.
    package var keepsOld = true
    /// Whether a replay checks the content before its use. It needs memory for the model's whole state.
    package var checks = true
    /// The time for which to wait for the server's switch.
    package var waitSecondsMax = 60.0

    /// With less memory, batches would be too small.
    package static let memoryBytesMin = 16 << 20

    package init() {}
}

/// The result of rebuilding one model, or of returning to its previous generation.
package struct RebuildOutcome: Sendable {
    package let model: String
    /// Such as `v1-g4`.
    package let generation: String
    /// Nil if none is kept.
    package let previous: String?
    /// Older generations that could not be removed, which keep the model from opening again.
    package let left: [String]
    /// The position at the switch.
    package let position: Position
    /// The position from which the build resumed; 0 for a new generation.
    package let resumedAt: Position
    /// The events of the first completion that concern the model.
    package let applied: Int
    package let rows: Int
    package let digest: String
    package let switcher: HandoverOffer.Switcher
    /// With the check and the hand-over.
    package let seconds: Double

    /// Events per second.
    package var rate: Double { seconds > 0 ? Double(position.rawValue - min(position, resumedAt).rawValue) / seconds : 0 }
}
