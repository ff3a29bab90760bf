import EventLog

extension PageRequest {
    /// The position behind which the page begins; `nil` for the first page.
    ///
    /// - Throws: `invalidRequest` for a cursor that is not of this list.
    func place(in list: String, by seal: CursorSeal) throws(Problem) -> Position? {
        guard let cursor else { return nil }
        guard let place = UInt64(exactly: try seal.place(cursor, in: list)) else {
            throw .invalid("cursor", "must be a cursor of this list")
        }
        return Position(place)
    }
}

extension CursorSeal {
    func text(_ position: Position, in list: String) -> String {
        text(UInt128(position.rawValue), in: list)
    }
}
