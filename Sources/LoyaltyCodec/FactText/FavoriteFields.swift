internal import Loyalty

/// How the events of favourites are shown.
extension FavoriteAdded {
    var fields: [FactField] { [FactField("account", .id(account)), FactField("campaign", .id(campaign))] }
}

extension FavoriteRemoved {
    var fields: [FactField] { [FactField("account", .id(account)), FactField("campaign", .id(campaign))] }
}
