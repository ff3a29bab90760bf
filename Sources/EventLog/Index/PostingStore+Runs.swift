internal import LMDB

extension PostingStore {
    /// The runs that the manifest names, the oldest first.
    ///
    /// - Throws: a broken index, when they do not follow each other or do not end where the coverage does.
    func runs() throws(EventLogError) -> [Run] {
        let environment = environment
        let snapshot = try environment.readable()
        let runs = try manifest(in: snapshot).runs
        var (next, level) = (UInt64(1), UInt32.max)
        for run in runs {
            guard run.number > 0, run.first == next, run.last >= next, run.last < .max, run.level <= level, run.parts > 0 else {
                throw .brokenIndex("the manifest")
            }
            (next, level) = (run.last + 1, run.level)
        }
        guard try coverage()?.position ?? 0 == next - 1 else { throw .brokenIndex("the manifest's end") }
        return runs
    }

    /// The numbers of all runs of which there are values, named or not, ascending.
    func runNumbers() throws(EventLogError) -> [UInt32] {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(table)
            var numbers: [UInt32] = []
            while try cursor.seek(UInt64((numbers.last ?? 0) + 1) << 32) { numbers.append(UInt32(cursor.integerKey >> 32)) }
            return numbers
        } catch { throw EventLogError(error) }
    }

    /// The manifest; without one, that of an empty index.
    @_lifetime(borrow snapshot)
    func manifest(in snapshot: borrowing Snapshot) throws(EventLogError) -> RunManifest {
        guard let bytes = try optionalValue(IndexLayout.manifestKey, in: snapshot) else { return RunManifest.empty }
        guard let manifest = RunManifest(bytes) else { throw .brokenIndex("the manifest") }
        return manifest
    }

    /// The part of a run in which a spread lies.
    @_lifetime(borrow snapshot)
    func part(of spread: UInt64, in run: Run, _ snapshot: borrowing Snapshot) throws(EventLogError) -> RunPart {
        let key = Run.key(ofPart: run.part(of: spread), run: run.number)
        guard let part = RunPart(try value(key, in: snapshot), key: key) else { throw .brokenIndex("a part of run \(run.number)") }
        return part
    }

    /// A block of a run.
    @_lifetime(borrow snapshot)
    func block(_ number: UInt32, of run: Run, _ snapshot: borrowing Snapshot) throws(EventLogError) -> RunBlock {
        let key = Run.key(ofBlock: number, run: run.number)
        guard let block = RunBlock(try value(key, in: snapshot), key: key) else {
            throw .brokenIndex("block \(number) of run \(run.number)")
        }
        return block
    }

    /// The entry at a place.
    @_lifetime(borrow snapshot)
    func piece(at place: RunPlace, of run: Run, _ snapshot: borrowing Snapshot) throws(EventLogError) -> PostingPiece {
        let block = try block(place.block, of: run, snapshot)
        guard let piece = PostingPiece(block.entry(min(place.entry, block.count - 1))) else {
            throw .brokenIndex("an entry of run \(run.number)")
        }
        return piece
    }

    /// A value that has to be there.
    @_lifetime(borrow snapshot)
    func value(_ key: UInt64, in snapshot: borrowing Snapshot) throws(EventLogError) -> Span<UInt8> {
        guard let value = try optionalValue(key, in: snapshot) else { throw .brokenIndex("value \(key) is missing") }
        return value
    }

    @_lifetime(borrow snapshot)
    private func optionalValue(_ key: UInt64, in snapshot: borrowing Snapshot) throws(EventLogError) -> Span<UInt8>? {
        do { return try snapshot.get(table, key) } catch { throw EventLogError(error) }
    }
}
