internal import LMDB

/// A shop's rating as bytes: count, sum, and the five counts of the histogram, each u64 little-endian.
package enum RatingRow {
    private static let stars = 5
    private static let bytes = 8 * (2 + stars)

    /// Replaces `row` by the row of a rating.
    package static func encode(_ rating: Rating, into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: UInt64(rating.count))
        row.append(littleEndian: UInt64(rating.sum))
        for number in rating.histogram { row.append(littleEndian: UInt64(number)) }
    }

    /// The rating of a row; nil when the bytes are not one, or its numbers disagree.
    package static func decode(_ row: Span<UInt8>) -> Rating? {
        guard row.count == bytes, let count = number(row, 0), let sum = number(row, 1) else { return nil }
        var rating = Rating(count: count, sum: sum, histogram: [])
        var (counted, summed) = (0, 0)
        for star in 1...stars {
            guard let number = number(row, star + 1) else { return nil }
            rating.histogram.append(number)
            counted += number
            summed += star * number
        }
        return counted == count && summed == sum ? rating : nil
    }

    static func text(_ row: Span<UInt8>) -> String? {
        decode(row).map { "\($0.count) ratings, sum \($0.sum), histogram \($0.histogram)" }
    }

    /// Nil for a number that no shop reaches, so that sums of damaged bytes cannot overflow.
    private static func number(_ row: Span<UInt8>, _ place: Int) -> Int? {
        let number = row.littleEndian64(at: 8 * place)
        return number < 1 << 48 ? Int(number) : nil
    }
}
