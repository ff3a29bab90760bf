package import EventLog
package import Projections
internal import ReadModels

/// Options for rebuilding read models.
package struct RebuildOptions: Sendable {
    /// The maximum memory in bytes for batches, shared by all models that are built at the same time. A value below ``memoryBytesMin``
    /// counts as ``memoryBytesMin``.
    package var memoryBytes = 2_048 << 20
    /// Whether the replaced generation is kept, so that a later call can return to it.
    package var keepsOld = true
    /// Whether the new content of a model is compared with a replay before it is put into use. The replay needs memory for the model's
    /// whole state.
    package var checks = true
    /// The maximum number of seconds to wait until the server has put a generation into use.
    package var waitSecondsMax = 60.0

    /// The least permitted ``memoryBytes``. With less memory, batches would be too small to be useful.
    package static let memoryBytesMin = 16 << 20

    package init() {}
}

/// The result of rebuilding one model, or of returning to its previous generation.
package struct RebuildOutcome: Sendable {
    /// The model's name.
    package let model: String
    /// The generation that is in use now, such as `v1-g4`.
    package let generation: String
    /// The previous generation, which is kept so that a later call can return to it; nil if none is kept.
    package let previous: String?
    /// Older generations that were to be removed, but are still there, for example because of missing permissions. As long as they cannot
    /// be removed, the model cannot be opened again.
    package let left: [String]
    /// The model's position when the generation was put into use.
    package let position: Position
    /// The position that the generation had at the start: that of an interrupted rebuild, or that of the previous generation to which this
    /// call returned; 0 for a new generation. Events up to this position were not read again.
    package let resumedAt: Position
    /// The number of events read in this rebuild that concern the model. If the generation was completed more than once, only the first
    /// completion counts.
    package let applied: Int
    /// The number of rows in all tables.
    package let rows: Int
    /// The SHA-256 of the content at ``position``.
    package let digest: String
    /// The process that put the generation into use.
    package let switcher: HandoverOffer.Switcher
    /// The duration of the rebuild in seconds, including the check and the hand-over.
    package let seconds: Double

    /// The number of events per second that this rebuild read.
    package var rate: Double { seconds > 0 ? Double(position.rawValue - min(position, resumedAt).rawValue) / seconds : 0 }
}
