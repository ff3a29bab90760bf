/// What an auditor in the same process needs: LMDB opens a folder once in a process, so it reads through what is open already.
extension ReadModels {
    /// The open rows of a model that serves, as of this moment; nil for a name that is none. A new model stands here too.
    package func store(of model: String) -> ModelStore? {
        switch model {
        case CardProgress.name: cards.store
        case ShopRatings.name: ratings.store
        case Notices.name: notices.store
        case Statistics.name: statistics.store
        case Journeys.name: journeys.store
        default: nil
        }
    }
}
