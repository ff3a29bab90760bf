import EventLog
import Histories
import LMDB
import Loyalty
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// The encoding of rows and keys: values survive a round trip, and other bytes are rejected.
@Suite struct RowTests {
    private let history: RandomHistory

    init() {
        var history = RandomHistory(random: SeededRandom.announced("rows"))
        history.grow(to: 400)
        self.history = history
    }

    @Test("A card survives its encoding as a row")
    func cardRows() {
        var row: [UInt8] = []
        for card in Oracle(history.facts).cards.values {
            CardRow.encode(card, into: &row)
            #expect(CardRow.decode(row.span, id: card.id) == card)
            #expect(CardRow.text(row.span) != nil)
        }
    }

    @Test("Stamps appended to a row give the same bytes as stamps added to the card, and a cut row takes none")
    func appendedStamps() {
        var random = SeededRandom.announced("stamps added")
        var (row, added) = ([UInt8](), [UInt8]())
        for var card in Oracle(history.facts).cards.values {
            CardRow.encode(card, into: &row)
            let (base, count) = (row, Int.random(in: 0...12, using: &random))
            let stamps = (0..<count).map { number in
                let next = number + 1 < count ? Int32(number + 1) : -1
                return CardCache.Stamp(position: random.next() >> 1, time: Instant(microseconds: Int64(number)), next: next)
            }
            for stamp in stamps { card.addStamps(1, at: stamp.time, position: stamp.position) }
            CardRow.encode(card, into: &row)
            #expect(CardRow.add(stamps, from: count == 0 ? -1 : 0, to: base.span, into: &added))
            #expect(added == row)
            for length in 0..<88 { #expect(!CardRow.add(stamps, from: -1, to: Array(base.prefix(length)).span, into: &added)) }
        }
    }

    @Test("`RowOrder.places` sorts items by their keys, and items with equal keys keep their order", arguments: [0, 1, 2, 3_000])
    func placesAreSortedByKey(_ count: Int) {
        var random = SeededRandom.announced("row order \(count)")
        var shops = NumberedIDs(capacity: 1)
        let things = (0..<count).map { _ in (shop: UInt128(random.next() % 40) << 90, thing: random.next() % 50) }
        let numbers = things.map { UInt32(shops.number($0.shop)) }
        let order = RowOrder.places(count, by: shops, shop: { numbers[$0] }) { things[$0].thing < things[$1].thing }
        let expected = things.indices.sorted { (things[$0].shop, things[$0].thing, $0) < (things[$1].shop, things[$1].thing, $1) }
        #expect(order.map(Int.init) == expected)
        let byShop = RowOrder.places(things.indices) { things[$0].shop }
        #expect(byShop.map(Int.init) == things.indices.sorted { (things[$0].shop, $0) < (things[$1].shop, $1) })
        for thing in things { #expect(shops.known(thing.shop).map { shops.ids[$0] } == thing.shop) }
    }

    @Test("A review survives its encoding as a row")
    func reviewRows() {
        var row: [UInt8] = []
        let reviews = history.facts.compactMap { PostedReview($0) }
        #expect(!reviews.isEmpty)
        for review in reviews {
            ReviewRow.encode(review, into: &row)
            #expect(ReviewRow.decode(row.span, id: review.id) == review)
        }
    }

    @Test("A truncated or changed row never decodes to the card that was encoded, and no bytes crash a decoder")
    func damagedRows() throws {
        var random = SeededRandom.announced("damage")
        let card = try #require(Oracle(history.facts).cards.values.first { $0.history.count > 3 })
        var row: [UInt8] = []
        CardRow.encode(card, into: &row)
        for length in 0..<row.count { #expect(CardRow.decode(Array(row.prefix(length)).span, id: card.id) != card) }
        for _ in 0..<2_000 {
            var damaged = row
            let place = Int.random(in: 0..<row.count, using: &random)
            damaged[place] ^= UInt8.random(in: 1...255, using: &random)
            #expect(CardRow.decode(damaged.span, id: card.id) != card)
            let noise = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = (CardRow.decode(noise.span, id: card.id), ReviewRow.decode(noise.span, id: ReviewID(1)), Rating(noise.span))
        }
    }

    @Test("A rating's row is rejected if its count, sum and histogram do not agree")
    func inconsistentRating() {
        var rating = Rating.none
        rating.add(5, replacing: nil)
        rating.add(3, replacing: nil)
        rating.add(1, replacing: 5)
        #expect(rating == Rating(count: 2, sum: 4, histogram: [1, 0, 1, 0, 0]))
        var row: [UInt8] = []
        rating.encode(into: &row)
        #expect(Rating(row.span) == rating)
        for place in row.indices {
            var damaged = row
            damaged[place] ^= 1
            #expect(Rating(damaged.span) == nil)
        }
    }

    @Test("Keys as bytes have the same order as the numbers in them")
    func keyOrder() {
        var random = SeededRandom.announced("keys")
        let pairs = (0..<200).map { _ in (UInt128(random.next() % 4) << 64 | UInt128(random.next() % 4), random.next() % 300) }
        for (left, right) in zip(pairs, pairs.dropFirst()) {
            let keys = (bytes(RowKey(left.0, position: left.1)), bytes(RowKey(right.0, position: right.1)))
            #expect(keys.0.lexicographicallyPrecedes(keys.1) == (left < right))
        }
        #expect(bytes(RowKey(1)) == [UInt8](repeating: 0, count: 15) + [1])
        #expect(bytes(RowKey(1, and: 2)) == bytes(RowKey(1)) + bytes(RowKey(2)))
    }

    private func bytes(_ key: RowKey) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(copying: key.bytes)
        return bytes
    }

    @Test("The index of rows gives the same places as a dictionary")
    func rowIndex() {
        var random = SeededRandom.announced("index")
        var (index, known) = (RowIndex(capacity: 1), [UInt128: Int]())
        for _ in 0..<20_000 {
            let id = UInt128(random.next() % 8_000) << UInt128(random.next() % 3 * 40)
            #expect(index.place(of: id) == known[id])
            if known[id] == nil { known[id] = index.insert(id) }
        }
        #expect(index.count == known.count)
        #expect(Set(known.values) == Set(0..<known.count))
    }

    @Test("A key map behaves like a dictionary, also if hashes often collide")
    func keyMap() {
        var random = SeededRandom.announced("map")
        // There are few keys, and their hashes often collide. So a removal often has to move other entries.
        var (map, known) = (KeyMap<PairKey, Int>(), [[UInt64]: Int]())
        for turn in 0..<60_000 {
            let (first, second) = (random.next() % 40, random.next() % 60)
            let key = PairKey(UInt128(first), UInt128(second))
            #expect(map[key] == known[[first, second]])
            switch random.next() % 4 {
            case 0: (map[key], known[[first, second]]) = (nil, nil)
            case 1: (map[key], known[[first, second]]) = (turn, turn)
            default:
                map.update(key, default: -turn) { $0 += 1 }
                known[[first, second], default: -turn] += 1
            }
            if random.next() % 20_000 == 0 {
                map.removeAll()
                known = [:]
            }
            #expect(map.count == known.count)
        }
        let entries = map.entries.sorted { $0.key < $1.key }.map(\.value)
        #expect(entries == known.sorted { ($0.key[0], $0.key[1]) < ($1.key[0], $1.key[1]) }.map(\.value))
    }

    @Test("A key map that was emptied holds nothing and takes new values", arguments: [10, 4_000])
    func emptiedMap(_ count: UInt64) {
        // For both counts the map keeps its memory when it is emptied, because more than an eighth of the memory is in use.
        var map = KeyMap<UInt128, UInt64>()
        for number in 0..<count { map[UInt128(number)] = number }
        map.removeAll()
        #expect(map.isEmpty && map.entries.isEmpty && (0..<count).allSatisfy { map[UInt128($0)] == nil })
        map[7] = 8
        #expect(map.entries.map(\.value) == [8])
    }

    @Test("A filter of event types contains the same types as a set")
    func aFilterEqualsASet() {
        for types in [[], [1], [0, 63, 64, 65_535], [41, 40, 41]] as [[UInt16]] {
            let filter = TypeFilter(types.map { EventType($0) })
            for type in [0, 1, 2, 40, 41, 63, 64, 65, 127, 65_535] as [UInt16] {
                #expect(filter.contains(EventType(type)) == types.contains(type))
            }
        }
    }

    @Test("A generation's name is parsed to a generation with the same name", arguments: ["v1-g1", "v0-g0", "v12-g345"])
    func generationsComeBack(_ text: String) {
        #expect(Generation(text: text)?.text == text)
    }

    @Test(
        "A malformed name is not parsed as a generation",
        arguments: [
            "", "v1", "v1-g", "v-g1", "v1-g1-g2", "v01-g1", "v1-g-1", "v+1-g1", "x1-g1", "v1-g1/", "v1_g1", "v1-g9223372036854775807",
        ])
    func malformedNames(_ text: String) {
        #expect(Generation(text: text) == nil)
    }
}
