/// What a number in a payload may be. Checked on the way in and on the way out, so that nothing is recorded that could not be
/// read back.
enum WireRange {
    /// Added by one event, worth of one code.
    static let stamps = 1...10
    /// Of a card.
    static let goal = 1...50
    /// Of a campaign: 0 is a promotion, which has no card.
    static let campaignGoal = 0...50
    /// Derivations of a code from an id. More collisions than this in a row are not chance.
    static let attempt = 0...255
    static let rating = 1...5
    /// Of a reply under its review.
    static let depth = 1...8

    /// - Throws: `CodecError.Code.fieldOutOfRange`.
    static func check(_ value: some BinaryInteger, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> Int {
        guard let number = Int(exactly: value), range.contains(number) else {
            throw CodecError(.fieldOutOfRange, "\(field) is \(value), not \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The value as it goes on the wire.
    static func wire(_ value: Int, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> UInt32 {
        UInt32(try check(value, range, field))
    }
}
