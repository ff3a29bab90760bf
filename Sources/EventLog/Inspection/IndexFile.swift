internal import Foundation
internal import LMDB
internal import Synchronization

/// A tag index's files, read without a memory map, for comparing the index with the log as of one manifest.
///
/// A server may run. ``covered`` is the last position included. Open the index before the log, so that it is not ahead.
package final class IndexFile: Sendable {
    /// Every event up to this position should be in the index, and no later one.
    package let covered: Position
    /// By the kind's number.
    package let kinds: [Bool]
    /// The creation time of the index's log.
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

    /// Opens an index's folder; nil without a manifest.
    ///
    /// - Throws: ``EventLogError`` `.storage` if the manifest is damaged or has an unknown format.
    package static func open(directory: String) throws(EventLogError) -> IndexFile? {
        if let store = RunStore.look(directory, .plain) { return IndexFile(directory, store.list) }
        guard FileManager.default.fileExists(atPath: directory + "/" + RunManifest.name) else { return nil }
        throw .brokenIndex("the manifest")
    }

    /// Closes the files.
    package func letGo() { runs.withLock { $0 = [] } }

    /// Sums up all postings, and checks that a look-up would find each.
    ///
    /// - Parameter report: receives the faults, on the caller's thread. A run is read up to its first.
    /// - Returns: one sum for each ``PostingSum/positions`` positions.
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

/// Checks what look-ups rely on.
struct RunWalk {
    private let run: Run
    private let file: BlockFile
    private var block: [UInt8] = []
    private var part: [UInt8] = []
    private var partNumber: UInt32?
    private var last = PostingKey(spread: 0, tag: Tag(TagKind(0), 0), type: EventType(0), position: 0)
    private var missing: UInt64 = 0

    init(_ run: Run, _ file: BlockFile) { (self.run, self.file) = (run, file) }

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
            end: PostingKey(spread: spread, tag: piece.tag, type: piece.type, position: piece.last), total: piece.total, count: piece.count)
    }

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

    private mutating func checkWays(to place: PostingKey, block: UInt32, isFirst: Bool) throws(LMDBError) {
        let number = run.part(of: place.spread)
        let key = Run.key(ofPart: number, run: run.number)
        if partNumber != number {
            try file.read(Int(run.blocks) + Int(number), into: &part)
            partNumber = number
        }
        guard let view = RunPart(part.span, key: key) else { throw damaged("part \(number) is none") }
        let isKnown = (try? view.mayHold(FilterMask(place.spread, place.type)) && view.mayHold(FilterMask(place.spread, nil))) ?? false
        guard isKnown else { throw damaged("the filter of part \(number) does not know a list that is there") }
        guard isFirst else { return }
        let next = PostingKey(spread: place.spread, tag: place.tag, type: place.type, position: place.position + 1)
        guard view.block(before: next) == block else { throw damaged("the directory of part \(number) does not lead to block \(block)") }
    }

    private func damaged(_ text: String) -> LMDBError { .damagedContent(text, in: file.path) }
}

/// The sum of the postings in a range of positions, equal for equal sets in any order.
///
/// It detects damage and defects, not an adversary: nothing is gained by forging derived data.
package struct PostingSum: Hashable, Sendable {
    /// Consecutive positions per sum. Sum n, from 0, begins at `1 + n * positions`.
    package static let positions: UInt64 = 8_192

    package private(set) var count: UInt64 = 0
    private var sum: UInt64 = 0

    package init() {}

    /// Adds an event's postings.
    ///
    /// - Parameter kinds: whether a kind is indexed, by its number.
    package mutating func add(_ record: borrowing Record, at position: UInt64, kinds: [Bool]) {
        let type = record.type
        for index in 0..<record.tagCount {
            let tag = record.tag(at: index)
            if kinds[Int(tag.kind.rawValue)] { add(tag.spread, type, position) }
        }
    }

    mutating func add(_ spread: UInt64, _ type: EventType, _ position: UInt64) {
        var bits = (spread ^ UInt64(type.rawValue) &* 0x9E37_79B9_7F4A_7C15) &+ position &* 0xD1B5_4A32_D192_ED03
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        sum &+= bits ^ (bits >> 31)
        count += 1
    }

    static func index(of position: UInt64) -> Int { Int((position - 1) / positions) }
}
