public import Loyalty

/// One thing that was found.
public struct Found<Noun>: Hashable, Sendable {
    public let id: ID<Noun>
    /// From the place that was asked about; nil where none was.
    public let distanceMillimeters: Int?

    init(id: ID<Noun>, distanceMillimeters: Int?) {
        (self.id, self.distanceMillimeters) = (id, distanceMillimeters)
    }
}
