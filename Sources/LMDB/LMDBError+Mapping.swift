internal import CLMDB
internal import Glibc

extension LMDBError {
    /// The error of a C call on an environment's folder.
    ///
    /// - Parameters:
    ///   - number: what the call returned; positive is an `errno`, negative is LMDB's own.
    ///   - call: the name of the C function.
    ///   - path: the folder or file that it worked on.
    ///   - setting: the operator's name for the size of the map, where that may be what the call ran out of.
    init(number: Int32, call: String, path: String, setting: String? = nil) {
        let reached = number == MDB_MAP_FULL ? setting : nil
        self.init(Code(number: number), call: call, path: path, text: Self.text(of: number), setting: reached)
    }

    /// The error of a call of LMDB's that writes pages. It returns `EIO` for a short write as well, which is how a full disk and a file
    /// size limit first show; an `EIO` of the system's, after which the outcome is unknown, is never called a full disk.
    ///
    /// - Parameter system: `errno` after the call, where it was 0 before: a short write sets none.
    init(writing number: Int32, system: Int32, call: String, path: String, setting: String? = nil) {
        if number == EIO, system == 0, Disk.isFull(at: path) {
            self.init(.diskFull, call: call, path: path, text: "short write")
        } else {
            self.init(number: number, call: call, path: path, setting: setting)
        }
    }

    /// Kept out of line: the reading paths should carry only a call in their cold half.
    @inline(never)
    static func failed(_ call: StaticString, _ number: Int32, transaction: OpaquePointer?) -> LMDBError {
        LMDBError(
            number: number, call: "\(call)", path: unsafe path(of: transaction), setting: unsafe Environment.mapSetting(of: transaction))
    }

    /// The caller broke a rule; `text` says which.
    @inline(never)
    static func misuse(_ call: StaticString, _ text: String, transaction: OpaquePointer?) -> LMDBError {
        LMDBError(.misuse, call: "\(call)", path: unsafe path(of: transaction), text: text)
    }

    /// A page holds what LMDB has not complained about, but would never have written.
    @inline(never)
    static func damaged(_ call: StaticString, _ text: String, transaction: OpaquePointer?) -> LMDBError {
        LMDBError(.damaged, call: "\(call)", path: unsafe path(of: transaction), text: text)
    }

    /// The folder that a transaction's environment was opened with.
    ///
    /// A transaction carries no Swift string: that would cost a retain in every snapshot for the sake of the failing path.
    static func path(of transaction: OpaquePointer?) -> String {
        // SAFETY: the transaction is live (its owner calls us), so is its environment, and the path lives as long as that.
        guard let transaction = unsafe transaction else { return "(closed)" }
        return unsafe self.path(ofEnvironment: mdb_txn_env(transaction))
    }

    /// The folder that an environment was opened with.
    static func path(ofEnvironment environment: OpaquePointer?) -> String {
        // SAFETY: the environment is live, and the path lives as long as it.
        guard let environment = unsafe environment else { return "(closed)" }
        var path: UnsafePointer<CChar>?
        guard unsafe mdb_env_get_path(environment, &path) == 0, let path = unsafe path else { return "(closed)" }
        return unsafe String(cString: path)
    }

    /// The library's text for an error number.
    static func text(of number: Int32) -> String {
        // SAFETY: mdb_strerror returns a static string, or the C library's for an errno.
        unsafe String(cString: mdb_strerror(number))
    }
}

extension LMDBError.Code {
    /// The class of an error number.
    init(number: Int32) {
        switch number {
        case MDB_NOTFOUND, ENOENT, ENOTDIR: self = .missing
        case MDB_INVALID, MDB_VERSION_MISMATCH: self = .foreign
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL: self = .damaged
        case ENOSPC, EDQUOT, EFBIG: self = .diskFull
        case MDB_MAP_FULL, MDB_MAP_RESIZED, MDB_TXN_FULL, ENOMEM: self = .mapFull
        case EEXIST: self = .occupied
        case MDB_READERS_FULL: self = .readersFull
        case MDB_BAD_VALSIZE: self = .keyTooLong
        case MDB_KEYEXIST: self = .outOfOrder
        case EACCES, EPERM, EROFS: self = .permission
        case MDB_PANIC: self = .panic
        case MDB_BAD_TXN, MDB_BAD_DBI, MDB_INCOMPATIBLE, MDB_DBS_FULL, EINVAL: self = .misuse
        default: self = .io
        }
    }
}
