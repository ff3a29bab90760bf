/// Which models there are.
extension ReadModels {
    /// Every model, in the order in which tools show them. A new model stands here, in `init` and in `Audit`'s replay.
    public static let models: [any Projection.Type] = [
        CardProgress.self, ShopRatings.self, Notices.self, Statistics.self, Journeys.self,
    ]

    /// Their names.
    public static var names: [String] { models.map { $0.name } }

    /// The model of a name; nil where there is none.
    public static func model(named name: String) -> (any Projection.Type)? {
        models.first { $0.name == name }
    }
}
