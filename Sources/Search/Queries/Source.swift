internal import GRDB

/// The kind of item to search. In the shared SQL, `i` is the campaign, `s` the shop, `p` its place, and `w` the item's words.
enum Source: Sendable {
    case shops
    case campaigns

    var columns: SQL {
        switch self {
        case .shops: "s.n, s.id, 0, 0"
        case .campaigns: "i.n, i.id, i.favorites, i.branches"
        }
    }

    /// The position of the event that created the item.
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

    /// Joins items to places, which the query names first.
    var joinedToPlaces: SQL {
        switch self {
        case .shops: "CROSS JOIN shops AS s ON s.n = p.shop"
        case .campaigns: "CROSS JOIN shops AS s ON s.n = p.shop CROSS JOIN campaigns AS i ON i.shop = s.n"
        }
    }

    /// Joins items to words, which the query names first.
    var joinedToWords: SQL {
        switch self {
        case .shops: "CROSS JOIN shops AS s ON s.n = w.rowid"
        case .campaigns: "CROSS JOIN campaigns AS i ON i.n = w.rowid CROSS JOIN shops AS s ON s.n = i.shop"
        }
    }

    /// Joins items to shops, which the query names first.
    var joinedToShop: SQL {
        switch self {
        case .shops: ""
        case .campaigns: " CROSS JOIN campaigns AS i ON i.shop = s.n"
        }
    }

    var alone: SQL {
        switch self {
        case .shops: "shops AS s"
        case .campaigns: "campaigns AS i CROSS JOIN shops AS s ON s.n = i.shop"
        }
    }
}
