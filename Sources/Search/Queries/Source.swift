internal import GRDB

/// The kind of item to search. In the shared SQL, `i` is the campaign, `s` the shop, `p` its place, and `w` the item's words.
struct Source {
    let columns: SQL
    /// The position of the event that created the item.
    let number: SQL
    let id: SQL
    /// The full-text index.
    let words: SQL
    /// Joins items to places, which the query names first.
    let joinedToPlaces: SQL
    /// Joins items to words, which the query names first.
    let joinedToWords: SQL
    /// Joins items to shops, which the query names first.
    let joinedToShop: SQL
    let alone: SQL
    /// Joins items to one shop, which the query names.
    let oneShop: SQL
    /// The items along the index of their shops' ranks.
    let byRank: SQL
    /// Whether an item may be valid at several shops.
    let isShared: Bool

    static var shops: Source {
        Source(
            columns: "s.n, s.id, 0, 0, s.rank", number: "s.n", id: "s.id", words: "shop_words",
            joinedToPlaces: "CROSS JOIN shops AS s ON s.n = p.shop",
            joinedToWords: "CROSS JOIN shops AS s ON s.n = w.rowid", joinedToShop: "", alone: "shops AS s", oneShop: "shops AS s",
            byRank: "shops AS s INDEXED BY shops_by_rank", isShared: false)
    }

    static var campaigns: Source {
        Source(
            columns: "i.n, i.id, i.favorites, i.branches, s.rank", number: "i.n", id: "i.id", words: "campaign_words",
            joinedToPlaces: "CROSS JOIN shops AS s ON s.n = p.shop CROSS JOIN campaigns AS i ON i.shop = s.n",
            joinedToWords: "CROSS JOIN campaigns AS i ON i.n = w.rowid CROSS JOIN shops AS s ON s.n = i.shop",
            joinedToShop: " CROSS JOIN campaigns AS i ON i.shop = s.n", alone: "campaigns AS i CROSS JOIN shops AS s ON s.n = i.shop",
            oneShop: "shops AS s CROSS JOIN campaigns AS i ON i.shop = s.n",
            byRank: "shops AS s INDEXED BY publishers_by_rank CROSS JOIN campaigns AS i ON i.shop = s.n AND s.published = 1",
            isShared: true)
    }
}
