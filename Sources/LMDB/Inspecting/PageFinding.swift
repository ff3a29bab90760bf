/// Something in an environment's file that LMDB would not have written.
public struct PageFinding: Hashable, Sendable, CustomStringConvertible {
    /// The page, counted from 0; nil where none is to blame alone.
    public let page: UInt64?
    /// The table, or nil for what belongs to none.
    public let table: String?
    /// What is wrong, in English.
    public let what: String

    init(page: UInt64?, table: String? = nil, _ what: String) {
        (self.page, self.table, self.what) = (page, table, what)
    }

    /// "page 12 of table events: …"
    public var description: String {
        let place = [page.map { "page \($0)" }, table.map { "table \($0)" }].compactMap { $0 }.joined(separator: " of ")
        return place.isEmpty ? what : "\(place): \(what)"
    }
}
