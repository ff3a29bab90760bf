import EventLog
import Faults
import Foundation
import LMDB

/// The child program of the fault tests. It writes the log of a seed and acknowledges what is stored, or it checks such a log after a
/// fault.
///
/// ```
/// fault-writer write  folder=F seed=S commits=N [bug=B]      appends N batches, acknowledging each in F/acks
/// fault-writer verify folder=F seed=S commits=N              checks F against F/acks
/// fault-writer cuts   folder=F seed=S commits=N journal=J cut-seed=C count=K [bug=B] [names=M] [part=I of=P] [from=R]
///                                                            cuts the power K times, with images in F; with creation=1
///                                                            K times at each moment of the log's creation
/// fault-writer cut    folder=F seed=S commits=N journal=J at=R image-seed=I [bug=B] [names=M]
///                                                            makes the image of one cut in F again, and checks it
/// fault-writer names  folder=F                               makes an environment and a small file in new folders of F
/// ```
/// Exit codes: 0 for success, 1 for a damaged log, 2 for invalid arguments, 3 for a named error (required if the disk fails), and 4 if an
/// appender continued after a failed commit.
@main
enum FaultWriter {
    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            exit(try run(arguments))
        } catch {
            FileHandle.standardError.write(Data("fault-writer: \(error)\n".utf8))
            exit(error is EventLogError || error is LMDBError ? 3 : 2)
        }
    }

    private static func run(_ arguments: Arguments) throws -> Int32 {
        switch arguments.command {
        case "write": try write(arguments)
        case "names": try NamesChild(arguments).run()
        case "verify": try verify(arguments)
        case "cuts": try CutsCommand(arguments).run()
        case "cut": try CutsCommand(arguments).runOne()
        default: throw FaultError("unknown command \(arguments.command)")
        }
    }

    private static func write(_ arguments: Arguments) throws -> Int32 {
        let bug = try arguments.bug()
        if bug == .neverFlushes {
            try UnflushedChild(arguments).run()
            return 0
        }
        return try Child(arguments, bug).run()
    }

    private static func verify(_ arguments: Arguments) throws -> Int32 {
        let folder = try arguments.text("folder")
        let expected = try ExpectedLog(seed: arguments.seed("seed"), commits: arguments.int("commits"))
        let acknowledged = Acknowledgement.last(inFolder: folder)
        switch LogCheck(expected, acknowledged: acknowledged).outcome(of: LogFolders(in: folder)) {
        case .whole(let head): print("whole \(head) of \(expected.head), acknowledged \(acknowledged?.head ?? .start)")
        case .broken(let text):
            print("broken \(text)")
            return 1
        }
        return 0
    }
}
