package import Seeds

/// A simulated disk that applies the records of a journal and can produce, after any record, the disk images that a power cut may leave.
package struct DiskModel: Sendable {
    /// Suffixes of files whose mapped writes do not matter: LMDB recreates its lock file when no process has it open, and SQLite recreates
    /// the index of its write-ahead log.
    private static let mappedNames = ["lock.mdb", "-shm"]

    private let model: NameModel
    private var files: [DiskFile] = []
    /// The names that programs see, and the names that certainly survive a power cut.
    private var names = Names(), durableNames = Names()
    private var pending: [NameChange] = []
    private var next = 0
    /// The file and the range of each write, by the number of its journal record. A later record names a write by that number.
    private var lastWrites: [Int: (file: Int, range: Range<Int>)] = [:]

    /// Creates an empty, flushed folder.
    package init(_ model: NameModel = .journalled) { self.model = model }

    /// Applies the next record of the journal.
    ///
    /// - Throws: ``FaultError`` for a file whose creation is not in the journal, and for a file that was mapped but must not be.
    package mutating func apply(_ record: JournalRecord) throws(FaultError) {
        let number = next
        next += 1
        switch record {
        case .made(let path): make(path, number)
        case .wrote(let path, let offset, let bytes): try write(path, offset, bytes, number)
        case .resized(let path, let size): files[try file(path)].resize(to: size, number: number)
        case .grew(let path, let size): try grow(path, size, number)
        case .flushed(let path, let covered): try flush(path, covered)
        case .wroteThrough(let path, let write): try flush(path, write: write)
        case .folderMade(let path): change(path, .folder, number)
        case .removed(let path): change(path, .removed, number)
        case .renamed(let path, let new): try rename(path, new, number)
        case .mapped(let path): try map(path)
        case .answered: break
        case .flushFailed(let path, let covered): files[try file(path)].lose(covered)
        }
    }

    /// Skips a record without applying it. The record is still counted, so that later records keep their numbers.
    package mutating func skip() { next += 1 }

    /// Returns a possible disk image after a power cut at this moment.
    package func image(_ chance: Chance, _ random: inout SeededRandom) -> DiskImage {
        var image = DiskImage()
        let names = remainingNames(chance, &random)
        for (path, entry) in names.reachable where path != "" {
            switch entry {
            case .folder: image.folders.append(path)
            case .file(let number): image.files[path] = files[number].content(chance, &random)
            }
        }
        return image
    }

    private mutating func make(_ path: String, _ number: Int) {
        files.append(DiskFile())
        change(path, .file(files.count - 1), number)
    }

    private mutating func write(_ path: String, _ offset: Int, _ bytes: [UInt8], _ number: Int) throws(FaultError) {
        let file = try file(path)
        files[file].write(bytes, at: offset, number: number)
        lastWrites[number] = (file, offset..<offset + bytes.count)
    }

    private mutating func grow(_ path: String, _ size: Int, _ number: Int) throws(FaultError) {
        let file = try file(path)
        if size > files[file].size { files[file].resize(to: size, number: number) }
    }

    private mutating func map(_ path: String) throws(FaultError) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard Self.mappedNames.contains(where: name.hasSuffix) else {
            throw FaultError("\(path) is mapped for writing, which is not recorded")
        }
        files[try file(path)].map()
    }

    private mutating func rename(_ path: String, _ new: String, _ number: Int) throws(FaultError) {
        guard path != "", new != "", names.entries[path] != nil else {
            throw FaultError("'\(path)' became '\(new)': one is not in the folder")
        }
        change(path, .renamed(to: new), number)
    }

    private mutating func flush(_ path: String, _ covered: Int) throws(FaultError) {
        if names.isFolder(path) { return flushFolder(path, covered) }
        let file = try file(path)
        files[file].flush(covered)
        guard model == .journalled else { return }
        flushNames { $0.number < covered && ($0.kind == .file(file) || $0.kind == .renamed(to: path)) }
    }

    private mutating func flush(_ path: String, write number: Int) throws(FaultError) {
        guard let write = lastWrites[number] else { throw FaultError("record \(number) of \(path) is no write") }
        files[write.file].flush(write: write.range, number: number)
        if model == .journalled { flushNames { $0.number < number && $0.kind == .file(write.file) } }
    }

    private mutating func flushFolder(_ path: String, _ covered: Int) {
        switch model {
        case .journalled: flushNames { $0.number < covered && $0.folders.contains(path) }
        case .posix:
            for change in pending where change.number < covered && change.folders.contains(path) { durableNames.apply(change) }
            pending.removeAll { $0.number < covered && $0.folders.contains(path) }
        }
    }

    /// Makes all changes of names durable up to the last one that `isMeant` accepts, because the file system's journal keeps the order of
    /// changes.
    private mutating func flushNames(upToLast isMeant: (NameChange) -> Bool) {
        guard let last = pending.lastIndex(where: isMeant) else { return }
        for change in pending[...last] { durableNames.apply(change) }
        pending.removeFirst(last + 1)
    }

    private mutating func change(_ path: String, _ kind: NameChange.Kind, _ number: Int) {
        let change = NameChange(number: number, path: path, kind: kind)
        names.apply(change)
        pending.append(change)
    }

    private func file(_ path: String) throws(FaultError) -> Int {
        guard let file = names.file(path) else { throw FaultError("'\(path)' was not made while the journal was kept") }
        return file
    }

    private func remainingNames(_ chance: Chance, _ random: inout SeededRandom) -> Names {
        var names = durableNames
        switch model {
        case .journalled: for change in pending.prefix(chance.count(of: pending.count, &random)) { names.apply(change) }
        case .posix:
            var lost: Set<String> = []
            for change in pending {
                let isKept = lost.isDisjoint(with: change.paths) && chance.count(of: 1, &random) == 1
                if isKept { names.apply(change) } else { lost.formUnion(change.paths) }
            }
        }
        return names
    }
}
