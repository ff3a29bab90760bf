/// How a campaign stands with accounts.
public struct Standing: Hashable, Sendable {
    /// How many keep it.
    public let favorites: Int
    /// Whether the one who asks does; nil where nobody in particular asks.
    public let isFavorite: Bool?

    public init(favorites: Int, isFavorite: Bool?) {
        self.favorites = favorites
        self.isFavorite = isFavorite
    }

    /// Of a campaign that nobody could keep yet.
    public static let new = Standing(favorites: 0, isFavorite: nil)
}
