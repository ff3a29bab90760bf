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
    /// Of a shop. They are tags, of which a record has at most 16.
    static let images = 0...9
    /// A campaign's cap; none is 0.
    static let stampsPerDay = 1...50
    /// A campaign's gap; none is 0.
    static let gapSeconds = 1...86_400
    /// By an operator; never 0.
    static let adjustment = -50...50
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

    /// As `check`, for a field whose 0 says that there is none.
    static func check(orNone value: UInt32, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> Int? {
        if value == 0 { return nil }
        return try check(value, range, field)
    }

    /// As `wire`, for a field whose 0 says that there is none.
    static func wire(_ value: Int?, _ range: ClosedRange<Int>, _ field: StaticString) throws(CodecError) -> UInt32 {
        guard let value else { return 0 }
        return UInt32(try check(value, range, field))
    }
}
