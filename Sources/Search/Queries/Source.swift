internal import GRDB

/// The kind of item to search: shops or campaigns. Both kinds share the SQL of their queries. In the SQL, `i` is the campaign, `s` the
/// shop, `p` the shop's place, and `w` the item's words.
enum Source: Sendable {
    case shops
    case campaigns

    /// The columns `n, id, favorites, branches`.
    var columns: SQL {
        switch self {
        case .shops: "s.n, s.id, 0, 0"
        case .campaigns: "i.n, i.id, i.favorites, i.branches"
        }
    }

    /// The column with the item's number, the position of the event that created it.
    var number: SQL {
        switch self {
        case .shops: "s.n"
        case .campaigns: "i.n"
        }
    }

    var words: SQL {
        switch self {
        case .shops: "shop_words"
        case .campaigns: "campaign_words"
        }
    }

    /// The SQL join from places to items. The query names the table of places first.
    var joinedToPlaces: SQL {
        switch self {
        case .shops: "CROSS JOIN shops AS s ON s.n = p.shop"
        case .campaigns: "CROSS JOIN shops AS s ON s.n = p.shop CROSS JOIN campaigns AS i ON i.shop = s.n"
        }
    }

    /// The join from the words to the items. The query names the table of words first.
    var joinedToWords: SQL {
        switch self {
        case .shops: "CROSS JOIN shops AS s ON s.n = w.rowid"
        case .campaigns: "CROSS JOIN campaigns AS i ON i.n = w.rowid CROSS JOIN shops AS s ON s.n = i.shop"
        }
    }

    /// The join from the shops to the items. The query names the table of shops first.
    var joinedToShop: SQL {
        switch self {
        case .shops: ""
        case .campaigns: " CROSS JOIN campaigns AS i ON i.shop = s.n"
        }
    }

    /// The tables of a query that begins with the items: the items and their shops.
    var alone: SQL {
        switch self {
        case .shops: "shops AS s"
        case .campaigns: "campaigns AS i CROSS JOIN shops AS s ON s.n = i.shop"
        }
    }
}
