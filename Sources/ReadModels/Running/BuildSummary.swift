public import EventLog

/// What building a model anew came to.
public struct BuildSummary: Sendable {
    /// The model's name.
    public let model: String
    /// The folder now in use: `v1-g4`.
    public let generation: String
    /// Where the model stands; also how many events were looked at.
    public let position: Position
    /// Events that the model reads, of those.
    public let applied: Int
    /// Wall-clock time, the flush included.
    public let seconds: Double

    package init(model: String, generation: String, position: Position, applied: Int, seconds: Double) {
        (self.model, self.generation, self.position) = (model, generation, position)
        (self.applied, self.seconds) = (applied, seconds)
    }

    /// Events looked at in a second.
    public var rate: Double { seconds > 0 ? Double(position.rawValue) / seconds : 0 }
}
