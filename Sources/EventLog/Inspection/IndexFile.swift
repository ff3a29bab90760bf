internal import Foundation
internal import LMDB
internal import Synchronization

/// A tag index's files, read without a memory map, for comparing the index with the log.
///
/// It shows the index as of one manifest, and may be used while a server runs. Entries that the server holds only in memory are not
/// included; ``covered`` is the last position included. Runs that are merged meanwhile stay readable. Open the index before the log, so
/// that the index is not ahead of the log.
package final class IndexFile: Sendable {
    /// Every event up to this position should be in the index, and no later event.
    package let covered: Position
    /// Whether tags of a kind are indexed, by the kind's number.
    package let kinds: [Bool]
    /// The creation time of the log that the index belongs to.
    package let created: Timestamp

    private let directory: String
    private let runs: Mutex<[RunFile]>

    private init(_ directory: String, _ list: RunList) {
        let coverage = list.manifest.coverage
        (covered, created) = (Position(coverage.position), coverage.created)
        kinds = (0..<256).map { coverage.kinds.contains(UInt8($0)) }
        runs = Mutex(list.runs)
        self.directory = directory
    }

    /// Opens the files in an index's folder.
    ///
    /// - Returns: nil if the folder has no manifest: there is no index, or only one of the older LMDB format.
    /// - Throws: ``EventLogError/Code-swift.struct/storage`` if the manifest is damaged or has an unknown format.
    package static func open(directory: String) throws(EventLogError) -> IndexFile? {
        if let store = RunStore.look(directory, .plain) { return IndexFile(directory, store.list) }
        guard FileManager.default.fileExists(atPath: directory + "/" + RunManifest.name) else { return nil }
        throw .brokenIndex("the manifest")
    }

    /// Closes the files of the index.
    package func letGo() { runs.withLock { $0 = [] } }

    /// Sums up all postings. Also checks that a look-up would find each posting: that the order, the filters and the directories are right.
    ///
    /// - Parameter report: receives the faults, on the caller's thread. A run is read up to its first fault.
    /// - Returns: one sum for every ``PostingSum/positions`` consecutive positions, from position 1 on.
    package func sums(_ report: (String) -> Void) -> [PostingSum] {
        var sums = [PostingSum](repeating: PostingSum(), count: covered == .start ? 0 : PostingSum.index(of: covered.rawValue) + 1)
        for file in runs.withLock(\.self) {
            do throws(LMDBError) {
                guard let blocks = file.file else { throw .damagedContent("its file is missing, or another one", in: directory) }
                var walk = RunWalk(file.run, blocks)
                try walk.add(to: &sums)
            } catch { report("run \(file.run.number): \(error.text)") }
        }
        return sums
    }
}

/// Reads the file of one run, from the first entry to the last, and checks everything that look-ups rely on: the order of entries, the
/// length of lists, that the filter contains each list, and that the directory leads to each block.
struct RunWalk {
    private let run: Run
    private let file: BlockFile
    private var block: [UInt8] = []
    private var part: [UInt8] = []
    private var partNumber: UInt32?
    /// The key of the previous entry's last position, and the number of positions that are still to come in that entry's list.
    private var last = PostingKey(spread: 0, tag: Tag(TagKind(0), 0), type: EventType(0), position: 0)
    private var missing: UInt64 = 0

    init(_ run: Run, _ file: BlockFile) { (self.run, self.file) = (run, file) }

    /// Adds all postings of the run to `sums`, and checks the run's entries.
    ///
    /// - Throws: ``LMDBError/Code/damaged`` at the first fault.
    mutating func add(to sums: inout [PostingSum]) throws(LMDBError) {
        var positions: [UInt64] = []
        for number in 0..<run.blocks {
            let key = Run.key(ofBlock: number, run: run.number)
            try file.read(Int(number), into: &block)
            let count = RunBlock(block.span, key: key)?.count ?? 0
            if count == 0 { throw damaged("block \(number) is none") }
            for index in 0..<count {
                let entry = try entry(index, of: number, &positions)
                try check(entry)
                for position in positions { sums[PostingSum.index(of: position)].add(entry.place.spread, entry.place.type, position) }
                try checkWays(to: entry.place, block: number, isFirst: index == 0)
            }
        }
        if missing > 0 { throw damaged("its last list is too short") }
    }

    private struct Entry {
        /// The keys of the entry's first and of its last position.
        let place, end: PostingKey
        let total, count: UInt64
    }

    private func entry(_ index: Int, of number: UInt32, _ positions: inout [UInt64]) throws(LMDBError) -> Entry {
        positions.removeAll(keepingCapacity: true)
        guard let view = RunBlock(block.span, key: Run.key(ofBlock: number, run: run.number)),
            let piece = PostingPiece(view.entry(index)), piece.last < run.count
        else { throw damaged("entry \(index) of block \(number) is none") }
        let all = PositionRange(first: run.first, last: run.last, backwards: false, limit: .max)
        piece.collect(RunWindow(all, of: run, limit: .max), limit: .max, into: &positions)
        guard UInt64(positions.count) == piece.count, positions.last == run.first + piece.last else {
            throw damaged("entry \(index) of block \(number) does not hold the positions that it says")
        }
        let spread = piece.tag == last.tag ? last.spread : piece.tag.spread
        return Entry(
            place: PostingKey(spread: spread, tag: piece.tag, type: piece.type, position: piece.first),
            end: PostingKey(spread: spread, tag: piece.tag, type: piece.type, position: piece.last),
            total: piece.total, count: piece.count)
    }

    /// Checks that the entry may follow the previous one, and that its list has the stated length.
    private mutating func check(_ entry: Entry) throws(LMDBError) {
        let goesOn = entry.place.tag == last.tag && entry.place.type == last.type
        guard entry.place.follows(last.tag, last.type, last.position), goesOn == (entry.total == 0), goesOn == (missing > 0) else {
            throw damaged("its entries are not in order")
        }
        if !goesOn { missing = entry.total }
        guard entry.count <= missing else { throw damaged("a list is longer than it says") }
        missing -= entry.count
        last = entry.end
    }

    /// Checks that a look-up finds the entry: that the filter contains its list and, for the first entry of a block, that the directory
    /// leads to the block.
    private mutating func checkWays(to place: PostingKey, block: UInt32, isFirst: Bool) throws(LMDBError) {
        let number = run.part(of: place.spread)
        let key = Run.key(ofPart: number, run: run.number)
        if partNumber != number {
            try file.read(Int(run.blocks) + Int(number), into: &part)
            partNumber = number
        }
        guard let view = RunPart(part.span, key: key) else { throw damaged("part \(number) is none") }
        guard view.mayHold(FilterMask(place.spread, place.type)), view.mayHold(FilterMask(place.spread, nil)) else {
            throw damaged("the filter of part \(number) does not know a list that is there")
        }
        guard isFirst else { return }
        let next = PostingKey(spread: place.spread, tag: place.tag, type: place.type, position: place.position + 1)
        guard view.block(before: next) == block else { throw damaged("the directory of part \(number) does not lead to block \(block)") }
    }

    private func damaged(_ text: String) -> LMDBError { .damagedContent(text, in: file.path) }
}

/// The sum of the postings in a range of consecutive positions. Equal sets of postings have equal sums.
///
/// It detects damage and defects, not an adversary: the index is derived data, so nothing is gained by forging it. The sum does not depend
/// on the order, so that a log, which is read by position, can be compared with an index, which is read by tag.
package struct PostingSum: Hashable, Sendable {
    /// The number of consecutive positions that one sum covers. Sum n, counted from 0, begins at position `1 + n * positions`.
    package static let positions: UInt64 = 8_192

    /// The number of postings in the sum.
    package private(set) var count: UInt64 = 0
    private var sum: UInt64 = 0

    /// Creates the sum of no postings.
    package init() {}

    /// Adds the postings of an event.
    ///
    /// - Parameter kinds: whether tags of a kind are indexed, by the kind's number.
    package mutating func add(_ record: borrowing Record, at position: UInt64, kinds: [Bool]) {
        let type = record.type
        for index in 0..<record.tagCount {
            let tag = record.tag(at: index)
            if kinds[Int(tag.kind.rawValue)] { add(tag.spread, type, position) }
        }
    }

    /// Adds a posting, given the tag's hash (``Tag/spread``) in place of the tag.
    mutating func add(_ spread: UInt64, _ type: EventType, _ position: UInt64) {
        var bits = (spread ^ UInt64(type.rawValue) &* 0x9E37_79B9_7F4A_7C15) &+ position &* 0xD1B5_4A32_D192_ED03
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        sum &+= bits ^ (bits >> 31)
        count += 1
    }

    /// The index of the sum that a position belongs to.
    static func index(of position: UInt64) -> Int { Int((position - 1) / positions) }
}
