import EventLog
import SharedLogs

/// The kinds of logs on which the tests of the contract run.
enum ContractKind: CaseIterable {
    /// The simple model with which other suites compare the real log. The model is tested too, because those suites would not notice its
    /// errors.
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

    /// Events are appended through the writer, and also stored in a shared log.
    case shared
    /// Events are staged, every other append is committed over a network with faults, and the log is reopened.
    case sharedAndReopened

    func open() throws -> any ContractLog {
        switch self {
        case .memory: MemoryLog()
        case .written: WrittenLog(try Sandbox().open())
        case .writtenAndFlushed: WrittenLog(try Sandbox().open(options: .tiny(flush: 1)))
        case .staged: try StagedLog(Sandbox(), commitsEvery: 0, reopensEvery: 0, options: .init())
        case .stagedAndCommitted: try StagedLog(Sandbox(), commitsEvery: 3, reopensEvery: 0, options: .tiny(flush: 2))
        case .reopened: try StagedLog(Sandbox(), commitsEvery: 2, reopensEvery: 2, options: .tiny(flush: 3))
        case .shared: WrittenLog(try Sandbox().open(options: DurabilityKind.shared.options()))
        case .sharedAndReopened:
            try StagedLog(
                Sandbox(), commitsEvery: 2, reopensEvery: 2, options: DurabilityKind.sharedWithFaults.options(.tiny(flush: 3)))
        }
    }
}
