internal import CLMDB
internal import Glibc

/// A failure of the storage layer: the call, the folder, the cause and the remedy. It is for the operator's log, never for a client.
///
/// After a failed ``WriteTransaction/commit()`` the outcome on disk is unknown unless the code is ``Code/mapFull``, ``Code/diskFull`` or
/// ``Code/lockDamaged``. A writer should stop, and open the environment again.
public struct LMDBError: Error, Sendable {
    public let code: Code
    /// The C call that failed, such as `mdb_txn_commit`.
    public let call: String
    /// The environment's folder, or the file on which the call failed.
    public let path: String
    /// The text for the returned error number, or a detail that this module found.
    public let text: String
    /// With ``Code/mapFull``, the name of the setting for the limit, if there is one.
    public let setting: String?

    init(_ code: Code, call: String, path: String, text: String, setting: String? = nil) {
        (self.setting, self.code, self.call, self.path, self.text) = (setting, code, call, path, text)
    }

    /// One sentence that tells the operator what to do.
    public var remedy: String {
        guard code == .mapFull, let setting else { return code.remedy }
        return "Start again with a larger \(setting); what is stored stays as it is."
    }
}

extension LMDBError: CustomStringConvertible {
    /// The whole message: "what happened: path (mdb_call: text). remedy"
    public var description: String { "\(statement) \(remedy)" }

    /// The message without its remedy, for a higher layer that has its own.
    public var statement: String { "\(code.summary): \(path) (\(call): \(text))." }
}

extension LMDBError {
    /// The class of a failure. Compare with `==` or switch with a `default`; codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        let summary, remedy: String

        private init(_ name: String, _ summary: String, _ remedy: String) {
            (description, self.summary, self.remedy) = (name, summary, remedy)
        }

        /// The environment, table, file or folder does not exist, and this call does not create it.
        public static let missing = Code("missing", "nothing here to open", "Check the path, or open it for writing, which creates it.")
        /// The file is not an LMDB environment, or has another format version.
        public static let foreign = Code(
            "foreign", "not an LMDB environment of this version", "Check the path; never point it at another program's files.")
        /// A stored part of a file is corrupt or missing, or the file ends too early.
        public static let damaged = Code(
            "damaged", "the environment is damaged",
            "Keep a copy of the file; the program that it belongs to knows what can take its place.")
        /// The disk, the quota or the file size limit is exhausted. The transaction stored nothing.
        public static let diskFull = Code(
            "diskFull", "no room left on the disk",
            "Free space or raise the quota, then start again; nothing of this transaction was stored.")
        /// The reserved address space is used up, or could not be reserved. The transaction stored nothing.
        public static let mapFull = Code(
            "mapFull", "the reserved address space is used up",
            "Reopen with a larger mapSizeMax, or raise the address space limit (ulimit -v).")
        /// The lock is held elsewhere. ``LMDBError/text`` names the process, except for a ``FolderLock`` and a ``PartialFileLock``.
        public static let locked = Code("locked", "another process is writing here", "Stop the other writer, or open it for reading only.")
        /// A process in another PID namespace uses this folder and has this process's id.
        public static let sameProcessID = Code(
            "sameProcessID", "another container's process has the process id of this one",
            "Run both in one PID namespace (docker exec, or docker run --pid=container:NAME), or end the other one first.")
        /// This process has the same folder open already.
        public static let alreadyOpen = Code(
            "alreadyOpen", "already open in this process", "Share the one Environment instead of opening a second one.")
        /// The destination of a copy holds an environment, or that of a rename has content.
        public static let occupied = Code("occupied", "an environment is there already", "Choose a new or empty folder.")
        /// `lock.mdb` was overwritten while a process has the environment open. Nothing is written from then on.
        public static let lockDamaged = Code(
            "lockDamaged", "the lock file was overwritten",
            "Restart the process that has it open, which makes the file anew; nothing was written since.")
        /// Live snapshots and idle read transactions take every reader slot.
        public static let readersFull = Code(
            "readersFull", "every reader slot is taken", "End snapshots sooner, or reopen with a larger maxReaders.")
        /// A key is empty or longer than ``Limits/keyBytesMax``.
        public static let keyTooLong = Code(
            "keyTooLong", "key of a length that cannot be stored", "Use a key of 1 to \(Limits.keyBytesMax) bytes.")
        /// An appended key is not greater than the last key.
        public static let outOfOrder = Code("outOfOrder", "appended out of order", "Append keys in ascending order, or use put.")
        public static let permission = Code(
            "permission", "access refused", "Give the process's account read and write access to the folder and its files.")
        /// The file system is mounted read-only.
        public static let readOnlyDisk = Code(
            "readOnlyDisk", "the disk is mounted read-only",
            "The kernel log (dmesg) has the cause; then mount it for writing: mount -o remount,rw (findmnt -T names it).")
        public static let io = Code(
            "io", "reading or writing failed",
            "Check the disk and the kernel log, then start again; recovery at open decides what was stored.")
        /// An earlier failed commit left the environment unusable until it is reopened.
        public static let panic = Code(
            "panic", "the environment stopped after a failed commit", "Restart the process; recovery at open decides what was stored.")
        /// The caller broke a rule of this interface, such as nesting writes or using another environment's table.
        public static let misuse = Code(
            "misuse", "wrong use of the storage layer", "This is a defect in the calling code; report it with this text.")
    }
}

extension LMDBError {
    /// - Parameter number: an `errno` if positive, one of LMDB's own numbers if negative.
    init(number: Int32, call: String, path: String, setting: String? = nil) {
        let reached = number == MDB_MAP_FULL ? setting : nil
        self.init(Code(number: number), call: call, path: path, text: Self.text(of: number), setting: reached)
    }

    /// LMDB also returns `EIO` for a short write, the first sign of a full disk or of a file size limit. If the system itself reported
    /// `EIO`, the outcome is unknown.
    ///
    /// - Parameter system: `errno` after the call, set to 0 before it. A short write does not set it.
    init(writing number: Int32, system: Int32, call: String, path: String, setting: String? = nil) {
        if number == EIO, system == 0, Disk.isFull(at: path) {
            self.init(.diskFull, call: call, path: path, text: "short write")
        } else {
            self.init(number: number, call: call, path: path, setting: setting)
        }
    }

    /// Never inlined, so that the functions that read stay small.
    @inline(never)
    static func failed(_ call: StaticString, _ number: Int32, transaction: OpaquePointer?) -> LMDBError {
        LMDBError(
            number: number, call: "\(call)", path: unsafe path(of: transaction), setting: unsafe Environment.mapSetting(of: transaction))
    }

    @inline(never)
    static func misuse(_ call: StaticString, _ text: String, transaction: OpaquePointer?) -> LMDBError {
        LMDBError(.misuse, call: "\(call)", path: unsafe path(of: transaction), text: text)
    }

    @inline(never)
    static func damaged(_ call: StaticString, _ text: String, transaction: OpaquePointer?) -> LMDBError {
        LMDBError(.damaged, call: "\(call)", path: unsafe path(of: transaction), text: text)
    }

    /// A Swift string in the transaction would cost each snapshot a retain, and only errors need it.
    static func path(of transaction: OpaquePointer?) -> String {
        // SAFETY: the owner of a live transaction calls this; the environment and its path live longer.
        guard let transaction = unsafe transaction else { return "(closed)" }
        return unsafe self.path(ofEnvironment: mdb_txn_env(transaction))
    }

    static func path(ofEnvironment environment: OpaquePointer?) -> String {
        // SAFETY: the path lives as long as the live environment.
        guard let environment = unsafe environment else { return "(closed)" }
        var path: UnsafePointer<CChar>?
        guard unsafe mdb_env_get_path(environment, &path) == 0, let path = unsafe path else { return "(closed)" }
        return unsafe String(cString: path)
    }

    static func text(of number: Int32) -> String {
        // SAFETY: mdb_strerror returns a static string, or the C library's.
        unsafe String(cString: mdb_strerror(number))
    }
}

extension LMDBError.Code {
    init(number: Int32) {
        switch number {
        case MDB_NOTFOUND, ENOENT, ENOTDIR: self = .missing
        case MDB_INVALID, MDB_VERSION_MISMATCH: self = .foreign
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL: self = .damaged
        case ENOSPC, EDQUOT, EFBIG: self = .diskFull
        case MDB_MAP_FULL, MDB_MAP_RESIZED, MDB_TXN_FULL, ENOMEM: self = .mapFull
        case EEXIST: self = .occupied
        case MDB_READERS_FULL: self = .readersFull
        case MDB_BAD_RSLOT: self = .lockDamaged
        case MDB_BAD_VALSIZE: self = .keyTooLong
        case MDB_KEYEXIST: self = .outOfOrder
        case EACCES, EPERM: self = .permission
        case EROFS: self = .readOnlyDisk
        case MDB_PANIC: self = .panic
        case MDB_BAD_TXN, MDB_BAD_DBI, MDB_INCOMPATIBLE, MDB_DBS_FULL, EINVAL: self = .misuse
        default: self = .io
        }
    }
}

extension LMDBError {
    /// The error ``Code-swift.struct/damaged`` for stored bytes that differ from those that a higher layer wrote.
    ///
    /// - Parameters:
    ///   - text: the fault in the bytes.
    ///   - directory: the environment's folder.
    @inline(never)
    public static func damagedContent(_ text: String, in directory: String) -> LMDBError {
        LMDBError(.damaged, call: "mdb_get", path: directory, text: text)
    }
}
