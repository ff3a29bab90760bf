internal import CLMDB
internal import Glibc
internal import Synchronization

extension Environment {
    /// Writes zeros behind the file's end, so that later commits need not make the file longer. The next flush makes them durable.
    ///
    /// A commit that makes the file longer changes the file's length and its list of blocks, and a flush has to write these as well,
    /// through the file system's journal. There it may also have to wait for other files: ext4 writes all new blocks of a file before the
    /// journal names them. A commit into a part of the file that was written before flushes its pages only. Space that is only reserved
    /// (`posix_fallocate`) does not help, because the first write to it changes the list of blocks, too.
    /// `Tools/Benchmarks/FIGURES.md` has the measurement.
    ///
    /// The room is as large as the used part of the file, but at most ``Options/roomBytes``. Zeros are written when half of it is left.
    ///
    /// The zeros belong to no page, so a crash at any time leaves a valid file. They never replace a page: they are written behind the end
    /// of the file only, and the caller MUST hold the write transaction, so that no commit makes the file longer meanwhile.
    ///
    /// A failure is ignored. The commit then makes the file longer itself, or reports the reason why it cannot.
    func makeRoom() {
        guard options.roomBytes > 0 else { return }
        let statistics = statistics
        let (used, most) = (statistics.usedBytes, statistics.mapBytes)
        let room = min(used, options.roomBytes)
        if fileEnd.load(ordering: .relaxed) >= min(used + room / 2, most) { return }
        // SAFETY: a plain C call on a path. The descriptor is closed here; LMDB's locks are on another file.
        let descriptor = unsafe Glibc.open(directory + "/data.mdb", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard let end = FileIdentity(of: descriptor)?.size else { return }
        fileEnd.store(Self.writeZeros(from: end, to: min(used + room, most), of: descriptor), ordering: .relaxed)
    }

    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

    /// Writes zeros until the first failure.
    ///
    /// - Returns: the end of what was written.
    private static func writeZeros(from start: Int, to end: Int, of descriptor: Int32) -> Int {
        var place = start
        while place < end {
            // SAFETY: writes at most the array's bytes, from an array that is never released.
            let written = unsafe pwrite(descriptor, zeros, min(zeros.count, end - place), off_t(place))
            if written <= 0 { break }
            place += written
        }
        return place
    }
}
