internal import GRDB
internal import Loyalty

/// The place of a shop in a list by rating, as one number: the mean of its ratings, then the shop's own number.
///
/// SQLite reads an index from a place only by its first column, so both are in one.
enum ShopRank {
    private static let bits: Int64 = 46
    /// The greatest number of a shop, a log position.
    static let shopMax: Int64 = 1 << bits - 1
    /// Units of the mean in one star. A mean is rounded down, so comparing it with a whole number of units is exact.
    static let unitsPerStar: Int64 = 10_000

    static func unrated(shop: Int64) -> Int64 { shop }

    static func rank(ratings: Int64, stars: Int64, shop: Int64) -> Int64 {
        ratings > 0 ? first(mean: stars * unitsPerStar / ratings) | shop : unrated(shop: shop)
    }

    /// The least rank of a mean in units.
    static func first(mean: Int64) -> Int64 { mean << bits }
    static func mean(of rank: Int64) -> Int64 { rank >> bits }
    static func shop(of rank: Int64) -> Int64 { rank & shopMax }
}

extension Database {
    /// Adds an account's rating in place of its earlier one.
    func rate(_ review: ReviewPosted, _ stars: Int, of shop: Int64, at position: UInt64) throws {
        let (n, account) = (Int64(bitPattern: position), review.author.value.blob)
        let earlier = try newestRating(of: shop, by: review.author)
        try run(
            "INSERT INTO rated (n, review, shop, account, stars) VALUES (?, ?, ?, ?, ?)",
            [n, review.review.value.blob, shop, account, stars])
        try rerate(shop, ratings: earlier == nil ? 1 : 0, stars: stars - (earlier?.stars ?? 0), at: n)
    }

    /// Removes a rating, if the review gave one. An earlier one of the account counts again.
    func unrate(_ review: ReviewID, at position: UInt64) throws {
        let row = try Row.fetchOne(
            cachedStatement(sql: "SELECT n, shop, account, stars FROM rated WHERE review = ?"), arguments: [review.value.blob])
        guard let row else { return }
        let (n, shop) = (try row.decode(Int64.self, atIndex: 0), try row.decode(Int64.self, atIndex: 1))
        let author = AccountID(UInt128(blob: try row.decode(atIndex: 2)))
        let counted = try newestRating(of: shop, by: author)
        try run("DELETE FROM rated WHERE n = ?", [n])
        guard let counted, counted.n == n else { return }
        let earlier = try newestRating(of: shop, by: author)
        try rerate(shop, ratings: earlier == nil ? -1 : 0, stars: (earlier?.stars ?? 0) - counted.stars, at: Int64(bitPattern: position))
    }

    private func newestRating(of shop: Int64, by account: AccountID) throws -> (n: Int64, stars: Int)? {
        let row = try Row.fetchOne(
            cachedStatement(sql: "SELECT n, stars FROM rated WHERE shop = ? AND account = ? ORDER BY n DESC LIMIT 1"),
            arguments: [shop, account.value.blob])
        return try row.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) }
    }

    private func rerate(_ shop: Int64, ratings added: Int, stars: Int, at n: Int64) throws {
        let row = try Row.fetchOne(cachedStatement(sql: "SELECT ratings, stars, rank FROM shops WHERE n = ?"), arguments: [shop])
        guard let row else { return }
        let ratings = try row.decode(Int64.self, atIndex: 0) + Int64(added)
        let sum = try row.decode(Int64.self, atIndex: 1) + Int64(stars)
        let (former, rank) = (try row.decode(Int64.self, atIndex: 2), ShopRank.rank(ratings: ratings, stars: sum, shop: shop))
        try run("UPDATE shops SET ratings = ?, stars = ?, rank = ? WHERE n = ?", [ratings, sum, rank, shop])
        if rank != former { try run("INSERT INTO rerated (n, shop, former) VALUES (?, ?, ?)", [n, shop, former]) }
    }
}
