/// What a chart says in words.
public struct ChartLabels: Sendable, Hashable {
    /// Over the picture, and its name for whoever cannot see it.
    public var title: String
    /// What it shows, in a sentence or two, for whoever cannot see it.
    public var description: String
    /// Under the horizontal axis.
    public var x: String
    /// Beside the vertical axis.
    public var y: String

    public init(title: String, description: String, x: String, y: String) {
        (self.title, self.description, self.x, self.y) = (title, description, x, y)
    }
}
