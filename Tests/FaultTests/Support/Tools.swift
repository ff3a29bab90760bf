import Faults
import Foundation

/// The programs that these tests start.
enum Tools {
    /// The child program, built together with these tests.
    static func child() throws -> String {
        let given = ProcessInfo.processInfo.environment["GREENTEA_PRODUCTS"].map { URL(filePath: $0) }
        let tests = [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])].map { $0?.deletingLastPathComponent() }
        for folder in ([given] + tests).compactMap({ $0 }) {
            let path = folder.appending(path: "fault-writer").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestFailure("fault-writer is not beside the tests: build it, or set GREENTEA_PRODUCTS to its folder")
    }

    /// Returns the path of a system program, or nil if it is not installed.
    static func find(_ names: String...) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let paths = names.flatMap { name in folders.map { $0 + "/" + name } }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Compiles the recorder and returns its path.
    static func recorder(in folder: TemporaryFolder) throws -> String {
        let library = folder.file("powercut.so")
        try Recorder.compile(to: library)
        return library
    }
}
