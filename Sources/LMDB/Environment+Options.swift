extension Environment {
    /// What a process may do with an environment.
    public enum Access: Sendable, Hashable {
        /// Reads beside a writer in this or another process. Never creates a folder, a file or a table.
        case readOnly
        /// Takes the folder's writer lock, so that there is one writing process at most.
        case readWrite
    }

    /// What a returned commit promises.
    public enum Durability: Sendable, Hashable {
        /// On disk: each commit waits for `fdatasync`.
        case everyCommit
        /// In the page cache only. Survives the end of the process, not that of the machine, after which the file may be
        /// damaged: for derived data alone.
        case none
    }

    /// How to open an environment. The defaults suit the log.
    public struct Options: Sendable {
        /// Tables that may be opened; each costs a few hundred bytes in every transaction.
        public var tables = 16
        /// Bytes of address space to reserve, the largest size that the file may grow to. It costs no memory and no disk.
        ///
        /// Where the process may not reserve that much, it is halved, down to ``Limits/mapBytesFloor``. Nil takes ``mapSizeDefault``, or
        /// the size that an earlier writer reserved for the file where that is larger: a reader must see all that a writer may store.
        public var mapSizeMax: Int?
        /// Bytes to reserve where ``mapSizeMax`` is nil.
        public var mapSizeDefault = Limits.mapBytesDefault
        /// The operator's name for ``mapSizeMax``, for the remedy of ``LMDBError/Code/mapFull``; nil where it is no setting.
        public var mapSetting: String?
        /// Snapshots that may live at once, over all processes. The first process to open the environment decides.
        public var maxReaders = 512
        /// What a returned commit promises.
        public var durability = Durability.everyCommit
        /// Whether ``Access/readWrite`` makes a missing folder and environment.
        public var create = true
        /// Whether new pages are zeroed before use. If not, the unused part of a page carries what the process's memory held
        /// before, onto the disk and into every copy; it costs one 4 KiB fill for a page that is new to the process.
        public var zeroesPages = true
        /// Whether an assertion of LMDB's, which a damaged page can bring about, ends the process with a sentence on standard error and
        /// exit code 2 in place of a trace and SIGABRT: for tools.
        public var endsOnDamage = false

        /// Bytes of values after which a cursor that goes from one entry to the next gives back the memory of what it has passed; see
        /// ``WalkedPages``. Nil keeps it mapped, which is quicker where it is read again soon.
        public var walkBytesHeld: Int?

        /// The defaults.
        public init() {}
    }
}
