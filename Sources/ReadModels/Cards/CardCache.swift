internal import Loyalty

/// Cards decoded and changed in memory, to be written once however often they change.
public struct CardCache {
    /// Cards kept after a flush; with more, all are let go.
    let cachedMax: Int
    var index = RowIndex()
    var cards: [Card] = []
    /// Places of cards that differ from their rows; each once.
    var changed: [Int] = []
    var isChanged: [Bool] = []
    /// Opened since the last flush, with their positions.
    var opened: [(holder: AccountID, position: UInt64, card: CardID)] = []

    init(cachedMax: Int) {
        self.cachedMax = cachedMax
    }

    mutating func insert(_ card: Card) -> Int {
        let place = index.insert(card.id.value)
        cards.append(card)
        isChanged.append(false)
        return place
    }

    @inline(__always)
    mutating func markChanged(_ place: Int) {
        if isChanged[place] { return }
        isChanged[place] = true
        changed.append(place)
    }

    /// Everything is written. What is kept equals its row.
    mutating func flushed() {
        if cards.count > cachedMax {
            self = CardCache(cachedMax: cachedMax)
            return
        }
        for place in changed { isChanged[place] = false }
        changed.removeAll(keepingCapacity: true)
        opened.removeAll(keepingCapacity: true)
    }
}
