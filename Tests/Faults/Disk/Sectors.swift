/// The unit that a disk writes whole or not at all, whatever becomes of its neighbours.
enum Sectors {
    /// Bytes: the smallest that disks promise. Those of 4,096 tear less.
    static let bytes = 512

    /// The sectors that a range of bytes touches, and what of it lies in each.
    static func pieces(of range: Range<Int>) -> [(sector: Int, range: Range<Int>)] {
        if range.isEmpty { return [] }
        return (range.lowerBound / bytes...(range.upperBound - 1) / bytes).map { sector in
            (sector, range.clamped(to: sector * bytes..<(sector + 1) * bytes))
        }
    }
}
