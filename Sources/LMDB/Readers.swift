internal import CLMDB
internal import Synchronization

extension Environment {
    /// A process's place in the table of readers, with the snapshot that it holds.
    public struct Reader: Sendable, Hashable {
        /// The process, by the id that it has in its own PID namespace.
        public let process: Int32
        /// The commit that the snapshot shows.
        public let transaction: Int

        /// For whoever judges readers without an environment.
        public init(process: Int32, transaction: Int) { (self.process, self.transaction) = (process, transaction) }
    }

    /// The live snapshots of all processes; those at rest hold nothing and are left out.
    public var readers: [Reader] {
        let found = Found()
        // SAFETY: the environment is open; the list outlives the call, which is the only one to use it.
        _ = unsafe mdb_reader_list(
            handle,
            { line, context in
                guard let line = unsafe line, let context = unsafe context else { return 0 }
                let text = unsafe String(cString: line)
                unsafe Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().add(text)
                return 0
            }, Unmanaged.passUnretained(found).toOpaque())
        return withExtendedLifetime(found) { found.readers }
    }

    /// Clears the slots of processes that have died, so that what their snapshots showed can be written over again.
    ///
    /// A process that is killed leaves its slot as it was. Every ``Limits/commitsPerReaderCheck`` write transactions begin with this.
    ///
    /// - Returns: how many slots were cleared.
    @discardableResult
    public func clearDeadReaders() -> Int {
        var dead: Int32 = 0
        // SAFETY: the environment is open. A failure leaves the slots as they are, until the next time.
        unsafe mdb_reader_check(handle, &dead)
        if dead > 0 { deadReaders.add(Int(dead), ordering: .relaxed) }
        return Int(dead)
    }

    /// Slots of dead processes that were cleared since the environment was opened.
    public var deadReadersCleared: Int { deadReaders.load(ordering: .relaxed) }

    /// Clears dead readers once in ``Limits/commitsPerReaderCheck`` calls: counted in commits and not in time, since commits are what a
    /// pinned snapshot makes the file grow by.
    func checkReadersNowAndThen() {
        let number = writes.add(1, ordering: .relaxed).newValue
        if number % Limits.commitsPerReaderCheck == 0 { clearDeadReaders() }
    }

    /// The lines of `mdb_reader_list`: process, thread and, of a live snapshot, the transaction; the first is a heading.
    private final class Found {
        private(set) var readers: [Reader] = []

        func add(_ line: String) {
            let fields = line.split { $0 == " " || $0 == "\n" }
            guard fields.count == 3, let process = Int32(fields[0]), let transaction = Int(fields[2]) else { return }
            readers.append(Reader(process: process, transaction: transaction))
        }
    }
}
