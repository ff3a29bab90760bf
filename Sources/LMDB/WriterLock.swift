internal import Glibc

/// `writer.lock` in an environment's folder: held by its one writing process, with that process's id as text.
enum WriterLock {
    /// Takes the lock without waiting.
    ///
    /// - Returns: the descriptor that holds it until it is closed.
    /// - Throws: ``LMDBError/Code/locked`` naming the holder, ``LMDBError/Code/permission``, ``LMDBError/Code/io``.
    static func take(in directory: String) throws(LMDBError) -> Int32 { try take(at: path(in: directory)) }

    /// Where an environment's lock is.
    static func path(in directory: String) -> String { directory + "/writer.lock" }

    /// The same for a lock file of any name.
    static func take(at path: String) throws(LMDBError) -> Int32 {
        // SAFETY: plain C calls on a path and a descriptor that is closed or returned.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = refusal(errno, path, descriptor)
            _ = close(descriptor)
            throw error
        }
        sign(descriptor)
        return descriptor
    }

    /// Gives the lock up before closing: a program being spawned at this moment still shares the descriptor until its `exec`.
    static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    private static func refusal(_ number: Int32, _ path: String, _ descriptor: Int32) -> LMDBError {
        guard number == EWOULDBLOCK else { return LMDBError(number: number, call: "flock", path: path) }
        return LMDBError(.locked, call: "flock", path: path, text: "held by process \(holder(descriptor))")
    }

    /// The text is for people only, so that a failure to write it is no failure to lock.
    private static func sign(_ descriptor: Int32) {
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        // SAFETY: writes from an array that outlives the call.
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }

    private static func holder(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 20)
        // SAFETY: reads at most the array's bytes into it.
        let count = unsafe pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(0, count)).prefix { (48...57).contains($0) }
        return digits.isEmpty ? "of unknown number" : String(decoding: digits, as: UTF8.self)
    }
}
