import EventLog

/// The kinds of logs that the contract's suite tests.
enum ContractKind: CaseIterable {
    /// The oracle itself. Other suites compare the real log with the oracle and would not notice the oracle's errors.
    case memory
    /// Events are appended through the writer, and the index is in memory.
    case written
    /// Events are appended through the writer, and the index is flushed after each event.
    case writtenAndFlushed
    /// Every append is staged, and none is committed.
    case staged
    /// Events are staged, every third append is committed, and the index is flushed after every other event.
    case stagedAndCommitted
    /// Every other append is committed, and the log is reopened after every other commit.
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
