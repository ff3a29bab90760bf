import EventLog

/// The logs that the contract's suite runs against.
enum ContractKind: CaseIterable {
    /// The oracle: what it gets wrong, the suite is wrong about.
    case memory
    /// Appended through the writer, index in memory.
    case written
    /// Appended through the writer, index flushed event by event.
    case writtenAndFlushed
    /// Staged, never committed.
    case staged
    /// Staged, every third append committed, index flushed every other event.
    case stagedAndCommitted
    /// Every other append committed, and the log opened anew every other commit.
    case reopened

    func open() throws -> any ContractLog {
        switch self {
        case .memory: MemoryLog()
        case .written: WrittenLog(try Sandbox().open())
        case .writtenAndFlushed: WrittenLog(try Sandbox().open(options: .tiny(flush: 1)))
        case .staged: try StagedLog(Sandbox(), commitsEvery: 0, reopensEvery: 0, options: .init())
        case .stagedAndCommitted: try StagedLog(Sandbox(), commitsEvery: 3, reopensEvery: 0, options: .tiny(flush: 2))
        case .reopened: try StagedLog(Sandbox(), commitsEvery: 2, reopensEvery: 2, options: .tiny(flush: 3))
        }
    }
}
