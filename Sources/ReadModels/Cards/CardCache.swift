internal import LMDB
internal import Loyalty

/// The rows of cards that a batch changed, and the ids of cards that are known to exist.
///
/// Most events of a card are single stamps. A stamp adds only eighteen bytes to the row, so it is cached separately and merged into the row
/// when the row is written. Any other event makes a new row of the card at once, which is cached here. So cards are decoded only for rare
/// events.
public struct CardCache {
    /// A card that has a row, either in the table or in this cache.
    struct KnownCard {
        let id: UInt128
        /// The offset in ``CardCache/rows`` at which the card's row begins; -1 if the row is in the table.
        var row = -1
        var rowCount: Int32 = 0
        /// The indexes in ``CardCache/stamps`` of the card's first unwritten stamp and of its last; -1 for none.
        var first: Int32 = -1
        var last: Int32 = -1

        var isChanged: Bool { row >= 0 || first >= 0 }
    }

    /// A stamp that is not in the card's row yet, and the index in ``CardCache/stamps`` of the card's next such stamp; -1 for the last one.
    struct Stamp {
        let position: UInt64
        let time: Instant
        var next: Int32 = -1
    }

    /// If more cards than this are known after a flush, the cache is emptied.
    let cachedMax: Int
    private(set) var index = RowIndex(capacity: 16)
    private(set) var cards: [KnownCard] = []
    private(set) var stamps: [Stamp] = []
    private(set) var rows: [UInt8] = []
    /// The places (indexes in ``cards``) of the cards that differ from their rows in the table. Each place occurs once.
    private(set) var changed: [Int] = []
    /// The cards opened or taken over since the last flush, each with its holder and the position of its opening.
    var opened: [(holder: AccountID, position: UInt64, card: CardID)] = []
    /// The former holders of cards that accounts took over since the last flush, each with the position of the card's opening.
    var left: [(holder: AccountID, position: UInt64)] = []

    init(cachedMax: Int) {
        self.cachedMax = cachedMax
    }

    /// The amount of unwritten changes, in units of one changed card. A unit is about ``CardProgress/bytesPerChange`` bytes.
    var count: Int { changed.count + stamps.count / 16 + rows.count / CardProgress.bytesPerChange }

    /// Adds a card without a cached row or stamps, and returns its place, the index in ``cards``. The caller MUST check that it has no
    /// place yet.
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

    /// Caches a new row of the card, which replaces all cached changes of the card.
    mutating func set(_ card: Card, at place: Int, _ row: inout [UInt8]) {
        if !cards[place].isChanged { changed.append(place) }
        CardRow.encode(card, into: &row)
        (cards[place].row, cards[place].rowCount) = (rows.count, Int32(row.count))
        (cards[place].first, cards[place].last) = (-1, -1)
        rows.append(contentsOf: row)
    }

    /// Writes the card's current row into `row`: its base row, with the cached stamps added.
    ///
    /// - Parameter stored: the card's row in the table. It is used as the base only if this cache has no row of the card.
    /// - Returns: false if the base is not a valid row.
    func row(at place: Int, stored: Span<UInt8>, into row: inout [UInt8]) -> Bool {
        let card = cards[place]
        guard card.row >= 0 else { return CardRow.add(stamps, from: Int(card.first), to: stored, into: &row) }
        let bytes = rows.span.extracting(card.row..<(card.row + Int(card.rowCount)))
        return CardRow.add(stamps, from: Int(card.first), to: bytes, into: &row)
    }

    /// Marks all cached changes as written. MUST be called after they were written.
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
