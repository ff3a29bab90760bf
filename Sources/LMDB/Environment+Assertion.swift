internal import CLMDB
internal import Glibc

extension Environment {
    /// What a process ends with whose LMDB has met a page that cannot be.
    static let damageExitCode: Int32 = 2

    /// Has a failed assertion of LMDB's end the process with words for the operator, in place of a trace: for tools that open what may
    /// be damaged. LMDB cannot go on after one, so there is nothing to return to.
    // SAFETY: the function captures nothing; LMDB hands it the live environment and a C string, and gets no control back.
    @unsafe static func endsOnDamage(_ handle: OpaquePointer) {
        unsafe mdb_env_set_assert(handle) { environment, message in
            let said = unsafe message.map { unsafe String(cString: $0) } ?? "an assertion"
            let text = """
                the file in \(unsafe LMDBError.path(ofEnvironment: environment)) is damaged (\(said)). \
                Run `greentea-audit verify`, then restore a backup.

                """
            let bytes = Array(text.utf8)
            unsafe bytes.withUnsafeBytes { buffer in _ = unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count) }
            _exit(Environment.damageExitCode)
        }
    }
}
