/// The unit that a disk writes completely or not at all, independently of its neighbours.
enum Sectors {
    /// The size of a sector in bytes: the smallest size that disks guarantee to write completely. With larger sectors, such as 4,096 bytes,
    /// a write is torn less often.
    static let bytes = 512

    /// The sectors that a range of bytes touches, each with the part of the range that lies in it.
    static func pieces(of range: Range<Int>) -> [(sector: Int, range: Range<Int>)] {
        if range.isEmpty { return [] }
        return (range.lowerBound / bytes...(range.upperBound - 1) / bytes).map { sector in
            (sector, range.clamped(to: sector * bytes..<(sector + 1) * bytes))
        }
    }
}
