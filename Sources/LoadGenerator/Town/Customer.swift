/// Somebody who collects. Belongs to one lane.
struct Customer: Sendable {
    /// Unlike any other customer's, for ratings.
    let number: Int
    let phone: String
    var token: String
    /// Cards by the number of their shop.
    var books: [Int: CardBook] = [:]

    /// The shop where most cards wait for their reward, and one of them.
    var waitingReward: (shop: Int, card: CardBook.Card)? {
        let shops = books.filter { !$0.value.full.isEmpty }
        guard let most = shops.max(by: { ($0.value.full.count, $1.key) < ($1.value.full.count, $0.key) }) else { return nil }
        return (most.key, most.value.full[0])
    }
}
