internal import Loyalty

/// The rows of cards that a batch changed, and the ids of cards that are known to exist.
///
/// Most events are single stamps, which are cached separately and merged into the row when it is written. Other events make a new row at
/// once.
public struct CardCache {
    struct KnownCard {
        let id: UInt128
        /// The offset in ``CardCache/rows``; -1 if the row is in the table.
        var row = -1
        var rowCount: Int32 = 0
        /// The indexes of the card's first and last unwritten stamps; -1 for none.
        var first: Int32 = -1
        var last: Int32 = -1

        var isChanged: Bool { row >= 0 || first >= 0 }
    }

    /// An unwritten stamp, and the index of the card's next one; -1 for the last.
    struct Stamp {
        let position: UInt64
        let time: Instant
        var next: Int32 = -1
    }

    /// Cards known after a flush above which the cache is emptied.
    let cachedMax: Int
    private(set) var index = RowIndex(capacity: 16)
    private(set) var cards: [KnownCard] = []
    private(set) var stamps: [Stamp] = []
    private(set) var rows: [UInt8] = []
    /// The indexes in ``cards`` of cards that differ from the table, each once.
    private(set) var changed: [Int] = []
    /// Cards opened or taken over since the last flush, with the position of the opening.
    var opened: [(holder: AccountID, position: UInt64, card: CardID)] = []
    /// Former holders of cards taken over since the last flush, with the position of the opening.
    var left: [(holder: AccountID, position: UInt64)] = []

    init(cachedMax: Int) { self.cachedMax = cachedMax }

    var count: Int { changed.count + stamps.count / 16 + rows.count / CardProgress.bytesPerChange }

    /// Returns its index in ``cards``; the card MUST NOT have one yet.
    mutating func insert(_ id: UInt128) -> Int {
        cards.append(KnownCard(id: id))
        return index.insert(id)
    }

    @inline(__always)
    mutating func stamp(_ place: Int, at time: Instant, position: UInt64) {
        if !cards[place].isChanged { changed.append(place) }
        let number = Int32(stamps.count)
        stamps.append(Stamp(position: position, time: time))
        let last = cards[place].last
        if last >= 0 { stamps[Int(last)].next = number } else { cards[place].first = number }
        cards[place].last = number
    }

    mutating func set(_ card: Card, at place: Int, _ row: inout [UInt8]) {
        if !cards[place].isChanged { changed.append(place) }
        CardRow.encode(card, into: &row)
        (cards[place].row, cards[place].rowCount) = (rows.count, Int32(row.count))
        (cards[place].first, cards[place].last) = (-1, -1)
        rows.append(contentsOf: row)
    }

    /// `stored` is the row's base if this cache has none. Returns false if the base is not a valid row.
    func row(at place: Int, stored: Span<UInt8>, into row: inout [UInt8]) -> Bool {
        let card = cards[place]
        guard card.row >= 0 else { return CardRow.add(stamps, from: Int(card.first), to: stored, into: &row) }
        let bytes = rows.span.extracting(card.row..<(card.row + Int(card.rowCount)))
        return CardRow.add(stamps, from: Int(card.first), to: bytes, into: &row)
    }

    mutating func flushed() {
        if cards.count > cachedMax {
            self = CardCache(cachedMax: cachedMax)
            return
        }
        for place in changed { cards[place] = KnownCard(id: cards[place].id) }
        changed.removeAll(keepingCapacity: true)
        opened.removeAll(keepingCapacity: true)
        left.removeAll(keepingCapacity: true)
        stamps.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
    }
}
