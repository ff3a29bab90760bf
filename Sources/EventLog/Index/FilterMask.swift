/// The bits that a tag, or a tag with a type, has in one line of a part's filter.
///
/// A blocked Bloom filter (Bloom 1970; Putze, Sanders, Singler 2007): all bits of a key lie in one cache line, so that a question
/// costs one miss of the cache. Of the line's eight words, five take one bit each for the tag and three one for tag and type; a
/// question without a type looks at the first five alone. With 32 entries a line, one absent tag in a hundred gets past it, one in
/// a thousand when a type is named, and of present tags one in sixteen with an absent type.
struct FilterMask: Sendable {
    private static let tagWords = 5
    private static let mixer: UInt64 = 0x9FB2_1C65_1E98_DF25
    static let words = 8

    /// The tag's ``Tag/spread``.
    let spread: UInt64
    private var bits = InlineArray<8, UInt64>(repeating: 0)

    @inline(__always)
    init(_ spread: UInt64, _ type: EventType?) {
        self.spread = spread
        var mixed = spread &* Self.mixer
        for word in 0..<Self.tagWords {
            bits[word] = 1 << (mixed & 63)
            mixed >>= 6
        }
        guard let type else { return }
        mixed = (spread ^ (UInt64(type.rawValue) + 1) &* 0xC2B2_AE3D_27D4_EB4F) &* 0x1656_67B1_9E37_79F9
        mixed ^= mixed >> 32
        for word in Self.tagWords..<Self.words {
            bits[word] = 1 << (mixed & 63)
            mixed >>= 6
        }
    }

    /// The line, of so many, that has the bits. Its number comes from other bits of the mix than the words' do.
    @inline(__always)
    func line(of lines: Int) -> Int {
        let bits = (spread &* Self.mixer) >> 40
        return Int((bits &* UInt64(lines)) >> 24)
    }

    /// The bits in one of the eight words.
    @inline(__always)
    subscript(word: Int) -> UInt64 { bits[word] }
}
