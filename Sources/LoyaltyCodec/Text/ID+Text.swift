public import Loyalty

extension ID where Noun: Identified {
    /// The id as clients see it: `card_01h455vb4pex5vsknk084sn02q`.
    public var text: String {
        TypeID.text(Noun.idPrefix, value)
    }

    /// Reads an id as clients send it; nil where it is not exactly one of this noun.
    ///
    /// That a shop's id is not a card's is answered here, before anything is looked up.
    public init?(text: String) {
        guard let value = TypeID.value(of: text, prefix: Noun.idPrefix) else { return nil }
        self.init(value)
    }
}
