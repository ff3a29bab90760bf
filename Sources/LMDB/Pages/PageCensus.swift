/// Records which pages a walk has met, because each may be used only once; 32 KiB of memory per gigabyte.
struct PageCensus {
    private var words: [UInt64]
    private let count: UInt64

    init(count: UInt64) {
        self.count = count
        words = [UInt64](repeating: 0, count: Int(count / 64) + 1)
        _ = take(0)
        _ = take(1)
    }

    /// Returns the fault if the page does not exist or is used already.
    mutating func take(_ page: UInt64) -> String? {
        guard page < count else { return "page \(page) lies beyond the last one, \(count - 1)" }
        let (word, bit) = (Int(page / 64), UInt64(1) << (page % 64))
        if words[word] & bit != 0 { return "page \(page) is used twice" }
        words[word] |= bit
        return nil
    }

    func untaken(limit: Int) -> [UInt64] {
        var found: [UInt64] = []
        for (index, word) in words.enumerated() where word != UInt64.max {
            for bit in 0..<64 as Range<UInt64> where word >> bit & 1 == 0 {
                let page = UInt64(index) * 64 + bit
                if page >= count || found.count == limit { return found }
                found.append(page)
            }
        }
        return found
    }
}
