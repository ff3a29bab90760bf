internal import LMDB

extension PostingStore {
    /// The first piece of a list.
    struct ListHead {
        let type: EventType
        /// How many positions the list has.
        let total: UInt64
        /// Whether this piece is all of it.
        let isWhole: Bool
        let place: RunPlace
    }

    /// The tag's first list of a type that is not less than one; nil when there is none.
    func head(
        of lists: TagLists, _ type: EventType, in part: borrowing RunPart, _ run: Run, _ snapshot: borrowing Snapshot
    ) throws(EventLogError) -> ListHead? {
        let before = try place(before: lists.key(type, 0), in: part, run, snapshot)
        let next = if let before { try place(after: before, in: run, snapshot) } else { run.firstPlace }
        return try head(at: next, of: lists.tag, atLeast: type, run, snapshot)
    }

    /// The list that follows in the order of types; nil when there is none. A short list's successor stands next to it.
    func head(
        after head: ListHead, of lists: TagLists, in part: borrowing RunPart, _ run: Run, _ snapshot: borrowing Snapshot
    ) throws(EventLogError) -> ListHead? {
        guard head.type.rawValue < .max else { return nil }
        let type = EventType(head.type.rawValue + 1)
        if !head.isWhole { return try self.head(of: lists, type, in: part, run, snapshot) }
        return try self.head(at: place(after: head.place, in: run, snapshot), of: lists.tag, atLeast: type, run, snapshot)
    }

    private func head(
        at place: RunPlace?, of tag: Tag, atLeast type: EventType, _ run: Run, _ snapshot: borrowing Snapshot
    ) throws(EventLogError) -> ListHead? {
        guard let place else { return nil }
        let piece = try piece(at: place, of: run, snapshot)
        guard piece.tag == tag else { return nil }
        // Else somebody could go from type to type for ever.
        if piece.type < type || piece.total > run.count { throw .brokenIndex("a block of run \(run.number)") }
        return ListHead(type: piece.type, total: piece.total, isWhole: piece.count == piece.total, place: place)
    }
}
