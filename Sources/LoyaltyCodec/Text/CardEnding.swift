public import Loyalty

/// The last six characters of a card's id, 30 random bits, by which a customer names a card at the counter.
public struct CardEnding: Hashable, Sendable {
    private static let symbols = 6

    package let bits: UInt128

    public init(of card: CardID) { bits = card.value & (1 << UInt128(5 * Self.symbols) - 1) }

    /// In any case, with I and L for 1 and O for 0; nil for another number of symbols.
    public init?(typed text: String) {
        var bits: UInt128 = 0
        guard text.utf8.count == Self.symbols else { return nil }
        for symbol in text.utf8 {
            guard let value = Crockford.lenientValue(symbol) else { return nil }
            bits = bits << 5 | UInt128(value)
        }
        self.bits = bits
    }
}
