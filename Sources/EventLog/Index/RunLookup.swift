internal import LMDB

/// The place of an entry in a run, in a block that this look-up has verified.
struct RunPlace: Sendable {
    var block: UInt32
    /// `Int.max` means the block's last entry.
    var entry: Int
}

extension Run {
    @_lifetime(borrow file)
    func part(of spread: UInt64, _ file: borrowing BlockFile) throws(EventLogError) -> RunPart {
        let number = part(of: spread)
        let key = Self.key(ofPart: number, run: self.number)
        guard let part = RunPart(try bytes(Int(blocks) + Int(number), file), key: key) else {
            throw .brokenIndex("part \(number) of run \(self.number)")
        }
        return part
    }

    /// Verifies the block anew, unless it is that of a ``RunPlace``.
    @_lifetime(borrow file)
    func block(_ number: UInt32, _ file: borrowing BlockFile, isVerified: Bool = false) throws(EventLogError) -> RunBlock {
        // Blocks and parts share one numbering.
        guard number < blocks,
            let block = RunBlock(try bytes(Int(number), file, anew: !isVerified), key: Self.key(ofBlock: number, run: self.number))
        else { throw .brokenIndex("block \(number) of run \(self.number)") }
        return block
    }

    @_lifetime(borrow file)
    func piece(at place: RunPlace, _ file: borrowing BlockFile) throws(EventLogError) -> PostingPiece {
        let block = try block(place.block, file, isVerified: true)
        guard let piece = PostingPiece(block.entry(min(place.entry, block.count - 1))) else {
            throw .brokenIndex("an entry of run \(number)")
        }
        return piece
    }

    @_lifetime(borrow file)
    @inline(__always)
    private func bytes(_ number: Int, _ file: borrowing BlockFile, anew: Bool = false) throws(EventLogError) -> Span<UInt8> {
        do { return try anew ? file.verifiedBlock(number) : file.block(number) } catch { throw EventLogError(derived: error) }
    }

    /// The first piece of each list has its total.
    func count(_ lists: TagLists, _ file: borrowing BlockFile) throws(EventLogError) -> Int {
        let part = try part(of: lists.spread, file)
        guard try lists.mayBe(in: part) else { return 0 }
        var total: UInt64 = 0
        if lists.types.isEmpty {
            var next = try head(of: lists, EventType(0), in: part, file)
            while let head = next {
                total += head.total
                next = try self.head(after: head, of: lists, in: part, file)
            }
        }
        for type in lists.types {
            if let head = try head(of: lists, type, in: part, file), head.type == type { total += head.total }
        }
        return Int(clamping: total)
    }

    /// Each list is limited to what remains before the call.
    func collect(
        _ lists: TagLists, in part: borrowing RunPart, _ range: PositionRange, _ file: borrowing BlockFile, _ found: inout [UInt64]
    ) throws(EventLogError) {
        let window = RunWindow(range, of: self, limit: range.limit - found.count)
        for type in lists.types { try collect(lists, type, in: part, window, file, &found) }
        if !lists.types.isEmpty { return }
        var next = try head(of: lists, EventType(0), in: part, file)
        while let head = next {
            if head.isWhole {
                let enough = window.end(from: found.count)
                try piece(at: head.place, file).collect(window, limit: enough, into: &found)
            } else {
                try collect(lists, head.type, in: part, window, file, &found)
            }
            next = try self.head(after: head, of: lists, in: part, file)
        }
    }

    private func collect(
        _ lists: TagLists, _ type: EventType, in part: borrowing RunPart, _ window: RunWindow, _ file: borrowing BlockFile,
        _ found: inout [UInt64]
    ) throws(EventLogError) {
        let end = lists.key(type, window.backwards ? window.last + 1 : window.first + 1)
        let before = try place(before: end, in: part, file)
        if window.backwards { return try collectBackwards(lists.tag, type, from: before, window, file, &found) }
        let start = if let before { before } else { try first(file) }
        try collectForwards(lists.tag, type, from: start, window, file, &found)
    }

    private func collectBackwards(
        _ tag: Tag, _ type: EventType, from start: RunPlace?, _ window: RunWindow, _ file: borrowing BlockFile, _ found: inout [UInt64]
    ) throws(EventLogError) {
        var place = start
        let enough = window.end(from: found.count)
        while let here = place {
            let piece = try piece(at: here, file)
            guard piece.tag == tag, piece.type == type, piece.last >= window.first else { return }
            piece.collect(window, limit: enough, into: &found)
            if found.count >= enough { return }
            place = try self.place(before: here, file)
        }
    }

    private func collectForwards(
        _ tag: Tag, _ type: EventType, from start: RunPlace?, _ window: RunWindow, _ file: borrowing BlockFile, _ found: inout [UInt64]
    ) throws(EventLogError) {
        var place = start
        let enough = window.end(from: found.count)
        // If the first piece begins within the range, the search returned the entry before it, of another list: one such entry is skipped.
        var mayBeBefore = true
        while let here = place, found.count < enough {
            let piece = try piece(at: here, file)
            if piece.tag == tag, piece.type == type {
                guard piece.first <= window.last else { return }
                piece.collect(window, limit: enough, into: &found)
            } else if !mayBeBefore {
                return
            }
            mayBeBefore = false
            place = try self.place(after: here, file)
        }
    }

    struct ListHead {
        let type: EventType
        let total: UInt64
        /// Whether this piece is the whole list.
        let isWhole: Bool
        let place: RunPlace
    }

    func head(
        of lists: TagLists, _ type: EventType, in part: borrowing RunPart, _ file: borrowing BlockFile
    ) throws(EventLogError) -> ListHead? {
        let before = try place(before: lists.key(type, 0), in: part, file)
        let next = if let before { try place(after: before, file) } else { try first(file) }
        return try head(at: next, of: lists.tag, atLeast: type, file)
    }

    /// After a list in one entry, the next begins at the following entry, without a search.
    func head(
        after head: ListHead, of lists: TagLists, in part: borrowing RunPart, _ file: borrowing BlockFile
    ) throws(EventLogError) -> ListHead? {
        guard head.type.rawValue < .max else { return nil }
        let type = EventType(head.type.rawValue + 1)
        if !head.isWhole { return try self.head(of: lists, type, in: part, file) }
        return try self.head(at: place(after: head.place, file), of: lists.tag, atLeast: type, file)
    }

    private func head(
        at place: RunPlace?, of tag: Tag, atLeast type: EventType, _ file: borrowing BlockFile
    ) throws(EventLogError) -> ListHead? {
        guard let place else { return nil }
        let piece = try piece(at: place, file)
        guard piece.tag == tag else { return nil }
        // Otherwise a damaged file could make the walk over types endless.
        if piece.type < type || piece.total > self.count { throw .brokenIndex("a block of run \(number)") }
        return ListHead(type: piece.type, total: piece.total, isWhole: piece.count == piece.total, place: place)
    }

    /// The last entry before a key. The entry after it must not be before the key, so a wrong directory is noticed.
    func place(before key: PostingKey, in part: borrowing RunPart, _ file: borrowing BlockFile)
        throws(EventLogError) -> RunPlace?
    {
        let named = part.block(before: key)
        var (count, next): (Int, UInt32) = (0, 0)
        if let named {
            let block = try block(named, file)
            count = block.count(before: key)
            if count < block.count && count > 0 { return RunPlace(block: named, entry: count - 1) }
            next = named + 1
        }
        if (count == 0) != (named == nil) { throw .brokenIndex("the directory of run \(number)") }
        if next < blocks, try block(next, file).count(before: key) > 0 { throw .brokenIndex("the directory of run \(number)") }
        return named.map { RunPlace(block: $0, entry: count - 1) }
    }

    private func first(_ file: borrowing BlockFile) throws(EventLogError) -> RunPlace? { try place(of: 0, entry: 0, file) }

    private func place(of block: UInt32, entry: Int, _ file: borrowing BlockFile) throws(EventLogError) -> RunPlace? {
        guard block < blocks else { return nil }
        _ = try self.block(block, file)
        return RunPlace(block: block, entry: entry)
    }

    func place(after place: RunPlace, _ file: borrowing BlockFile) throws(EventLogError) -> RunPlace? {
        let count = try block(place.block, file, isVerified: true).count
        if place.entry < count - 1 { return RunPlace(block: place.block, entry: place.entry + 1) }
        return try self.place(of: place.block + 1, entry: 0, file)
    }

    func place(before place: RunPlace, _ file: borrowing BlockFile) throws(EventLogError) -> RunPlace? {
        if place.entry == 0 { return place.block == 0 ? nil : try self.place(of: place.block - 1, entry: .max, file) }
        let count = try block(place.block, file, isVerified: true).count
        return RunPlace(block: place.block, entry: min(place.entry, count - 1) - 1)
    }
}
