internal import CLMDB
internal import Glibc
internal import Synchronization

extension Environment {
    /// Writes zeros behind the file's end, so that later commits need not lengthen the file.
    ///
    /// Flushing a longer file also writes its length and block list through the file system's journal, and may wait for other files.
    /// `posix_fallocate` does not help, because the first write still changes the block list. `Tools/Benchmarks/FIGURES.md` has the
    /// measurement.
    ///
    /// The room, at most ``Options/roomBytes``, is renewed when half is left. The zeros belong to no page, so a crash leaves a valid file.
    /// The caller MUST hold the write transaction, so that no commit lengthens the file meanwhile. A failure is ignored.
    ///
    /// The price is that most of the file is written twice. Read models are not flushed at commits, so their files have no room.
    func makeRoom() {
        guard options.roomBytes > 0 else { return }
        let statistics = statistics
        let (used, most) = (statistics.usedBytes, statistics.mapBytes)
        let room = min(used, options.roomBytes)
        if fileEnd.load(ordering: .relaxed) >= min(used + room / 2, most) { return }
        guard let descriptor = try? Descriptor.open(directory + "/data.mdb", O_WRONLY) else { return }
        // LMDB's locks, which this would drop, are on another file.
        defer { _ = close(descriptor) }
        guard let end = FileIdentity(of: descriptor)?.size else { return }
        fileEnd.store(Self.writeZeros(from: end, to: min(used + room, most), of: descriptor), ordering: .relaxed)
    }

    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

    /// Returns the end of what was written.
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
