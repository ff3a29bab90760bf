extension LMDBError {
    /// The class of a failure. Compare with `==` or switch with a `default`; codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        let kind: Kind

        /// There is no environment, or no such table, and the access does not allow to create it.
        public static let missing = Code(kind: .missing)
        /// The file is not an LMDB environment, or one of another format version or page size.
        public static let foreign = Code(kind: .foreign)
        /// A page is corrupt or lost, or the file ends before its last used page.
        public static let damaged = Code(kind: .damaged)
        /// The disk, the quota or the file size limit is exhausted. Nothing of the transaction was stored.
        public static let diskFull = Code(kind: .diskFull)
        /// The reserved address space is used up, or could not be reserved. Nothing of the transaction was stored.
        public static let mapFull = Code(kind: .mapFull)
        /// Another process is the writer; the text names it.
        public static let locked = Code(kind: .locked)
        /// A process of another PID namespace that has this process's id reads or writes here.
        public static let sameProcessID = Code(kind: .sameProcessID)
        /// This process has the same folder open already.
        public static let alreadyOpen = Code(kind: .alreadyOpen)
        /// The folder to copy to holds an environment already.
        public static let occupied = Code(kind: .occupied)
        /// Every reader slot is taken by a live snapshot.
        public static let readersFull = Code(kind: .readersFull)
        /// A key is empty or longer than ``Limits/keyBytesMax``.
        public static let keyTooLong = Code(kind: .keyTooLong)
        /// An appended key does not come after the last one.
        public static let outOfOrder = Code(kind: .outOfOrder)
        /// The operating system refused access.
        public static let permission = Code(kind: .permission)
        /// Reading or writing failed below the file system.
        public static let io = Code(kind: .io)
        /// An earlier failed commit left the environment unusable until it is reopened.
        public static let panic = Code(kind: .panic)
        /// The caller broke a rule of this interface: a table of another kind or environment, a nested write.
        public static let misuse = Code(kind: .misuse)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// The closed set behind ``Code``, so that the texts below are checked for completeness.
    enum Kind: String, Sendable {
        case missing, foreign, damaged, diskFull, mapFull, locked, sameProcessID, alreadyOpen, occupied, readersFull, keyTooLong
        case outOfOrder, permission, io, panic, misuse
    }
}

extension LMDBError.Kind {
    var summary: String {
        switch self {
        case .missing: "nothing here to open"
        case .foreign: "not an LMDB environment of this version"
        case .damaged: "the environment is damaged"
        case .diskFull: "no room left on the disk"
        case .mapFull: "the reserved address space is used up"
        case .locked: "another process is writing here"
        case .sameProcessID: "another container's process has the process id of this one"
        case .alreadyOpen: "already open in this process"
        case .occupied: "an environment is there already"
        case .readersFull: "every reader slot is taken"
        case .keyTooLong: "key of a length that cannot be stored"
        case .outOfOrder: "appended out of order"
        case .permission: "access refused"
        case .io: "reading or writing failed"
        case .panic: "the environment stopped after a failed commit"
        case .misuse: "wrong use of the storage layer"
        }
    }

    var remedy: String {
        switch self {
        case .missing: "Check the path, or open it for writing with creation allowed."
        case .foreign: "Check the path; never point the service at another program's files."
        case .damaged: "Restore it from a backup, or delete it if it is derived data; it will be rebuilt."
        case .diskFull: "Free space or raise the quota, then start again; nothing of this transaction was stored."
        case .mapFull: "Reopen with a larger mapSizeMax, or raise the address space limit (ulimit -v)."
        case .locked: "Stop the other writer, or open it for reading only."
        case .sameProcessID:
            "Run it in the server's PID namespace (docker exec, or docker run --pid=container:SERVER), or end the other one first."
        case .alreadyOpen: "Share the one Environment instead of opening a second one."
        case .occupied: "Choose a new or empty folder."
        case .readersFull: "End snapshots sooner, or reopen with a larger maxReaders."
        case .keyTooLong: "Use a key of 1 to \(Limits.keyBytesMax) bytes."
        case .outOfOrder: "Append keys in ascending order, or use put."
        case .permission: "Give the service's account read and write access to the folder and its files."
        case .io: "Check the disk and the kernel log, then start again; recovery at open decides what was stored."
        case .panic: "Restart the process; recovery at open decides what was stored."
        case .misuse: "This is a defect in the calling code; report it with this text."
        }
    }
}
