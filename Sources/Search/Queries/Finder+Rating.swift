internal import Foundation
internal import GRDB

/// Lists by rating. A page is found by the index of the shops' ranks. Shops whose rank has changed since the first page are inserted at
/// their former places.
extension Finder {
    static func place(of cursor: DiscoveryCursor, in source: Source, by sort: DiscoverySort, _ db: Database) throws -> ListPlace {
        guard sort == .rating else { return ListPlace(cursor) }
        // The cursor has no room for the number of a campaign's shop, which never changes.
        let shop: SQL = source.isShared ? "SELECT shop FROM campaigns WHERE n = \(Int64(cursor.number))" : "SELECT \(Int64(cursor.number))"
        let number = try SQLRequest<Int64>(literal: shop, cached: true).fetchOne(db) ?? ShopRank.shopMax
        return ListPlace(key: ShopRank.first(mean: Int64(cursor.key)) | number, number: Int64(cursor.number))
    }

    func rated() throws -> Listed {
        let bound = begin ?? ListPlace(key: .max, number: .max)
        var query: SQL = "SELECT \(source.columns)\(location), \(fits) AND \(source.number) <= \(seen)"
        query += " AND NOT EXISTS (SELECT 1 FROM rerated AS d WHERE d.shop = s.n AND d.n > \(seen))"
        query += " FROM \(source.byRank)\(placesJoined)\(wordsJoined)"
        query += " WHERE s.rank <= \(bound.key) AND (s.rank, \(source.number)) < (\(bound.key), \(bound.number))"
        query += " ORDER BY s.rank DESC, \(source.number) DESC"
        let (walk, changed) = (try walk(query, until: limit + 1), try changed(after: bound))
        let found = walk.found + changed.found
        let ends = [walk, changed].compactMap { $0.isCut ? $0.last : nil }
        guard let end = ends.min(by: { $0.precedes($1, by: sort) }) else { return Listed(candidates: first(found)) }
        let reached = found.filter { !$0.follows(end.place(by: sort), by: sort) }
        return Listed(candidates: first(reached), end: end.cursor(by: sort, seen: UInt64(bitPattern: seen)))
    }

    func rankedAsSeen(_ candidates: [Candidate]) throws -> [Candidate] {
        guard after != nil else { return candidates }
        let former = try formerRanks()
        return candidates.map { candidate in
            var candidate = candidate
            candidate.rank = former[ShopRank.shop(of: candidate.rank)] ?? candidate.rank
            return candidate
        }
    }

    /// The next items of the shops whose rank has changed since the first page.
    private func changed(after bound: ListPlace) throws -> Walk {
        var all = Walk()
        guard after != nil else { return all }
        looks.begin()
        for (shop, rank) in try formerRanks().filter({ $0.value <= bound.key }).sorted(by: { $0.value > $1.value }) {
            let before = rank == bound.key ? bound.number : .max
            var query: SQL = "SELECT \(source.columns)\(location), \(fits) FROM \(source.oneShop)\(placesJoined)\(wordsJoined)"
            query += " WHERE s.n = \(shop) AND \(source.number) <= \(seen) AND \(source.number) < \(before) ORDER BY \(source.number) DESC"
            var walk = try resume(query, until: limit + 1 - all.found.count)
            for place in walk.found.indices { walk.found[place].rank = rank }
            walk.last?.rank = rank
            all.found += walk.found
            all.last = walk.last ?? all.last
            all.isCut = walk.isCut
            if all.isCut || all.found.count > limit { break }
        }
        return all
    }

    /// The rank at the first page of each shop whose rank has changed since.
    private func formerRanks() throws -> [Int64: Int64] {
        let changes: SQL = "SELECT shop, former FROM rerated WHERE n > \(seen) ORDER BY n LIMIT \(SearchLimits.changesMax)"
        let rows = try SQLRequest<Row>(literal: changes, cached: true).fetchAll(db).map {
            (try $0.decode(Int64.self, atIndex: 0), try $0.decode(Int64.self, atIndex: 1))
        }
        return Dictionary(rows) { first, _ in first }
    }
}

extension ListPlace {
    /// For any order but by rating.
    init(_ cursor: DiscoveryCursor) { self.init(key: Int64(cursor.key), number: Int64(cursor.number)) }
}
