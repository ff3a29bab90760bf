import Foundation
import LoadGenerator
import Synchronization

/// A development server in a temporary folder, for one run.
final class OwnServer: Sendable {
    private let executable: String
    private let folder = FileManager.default.temporaryDirectory.appending(path: "greentea-load-\(UUID().uuidString)")
    private let process = Mutex<Process?>(nil)
    /// Permanent, so that a stop during the start does not leave the server running.
    private let isOver = Atomic(false)

    init(executable: String) throws(LoadCommandError) {
        guard FileManager.default.isExecutableFile(atPath: executable) else { throw .noServer(executable) }
        self.executable = executable
    }

    /// Starts the server and waits until it prints its address.
    ///
    /// - Throws: `LoadCommandError.notStarted`, or the error that prevented creating the folder or the process.
    func start() throws -> ServerAddress {
        let output = Pipe()
        try process.withLock { process in
            guard !isOver.load(ordering: .acquiring) else { throw LoadCommandError.notStarted(executable) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let started = Process()
            started.executableURL = URL(filePath: executable)
            started.arguments = ["serve", "--dev", "--data", folder.appending(path: "data").path, "--listen", "127.0.0.1:0"]
            started.standardOutput = output
            started.standardError = FileHandle.nullDevice
            try started.run()
            process = started
        }
        guard let address = Self.address(in: output.fileHandleForReading) else { throw LoadCommandError.notStarted(executable) }
        return address
    }

    var isStopped: Bool { isOver.load(ordering: .acquiring) }

    /// Nil if the system does not report it.
    var residentBytes: Int? {
        guard let pid = process.withLock({ $0?.processIdentifier }) else { return nil }
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1_024 }
    }

    /// Ends the server and removes its folder. Any thread may call it repeatedly.
    func stop() {
        isOver.store(true, ordering: .releasing)
        process.withLock { process in
            if let process { Self.end(process) }
            process = nil
            try? FileManager.default.removeItem(at: folder)
        }
    }

    /// Polls once per second and finally kills. An immediate `waitUntilExit` would need a whole processor on a dispatch queue's thread, and
    /// would wait for ever after a lost signal.
    private static func end(_ process: Process) {
        let looks = stopSecondsMax * looksPerSecond
        for look in 0..<looks where process.isRunning {
            if look % looksPerSecond == 0 { process.terminate() }
            Thread.sleep(forTimeInterval: 1 / Double(looksPerSecond))
        }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// After this, the server is killed. Its data is removed anyway.
    private static let stopSecondsMax = 30
    private static let looksPerSecond = 20

    /// The URL in the line that a ready server prints.
    private static func address(in output: FileHandle) -> ServerAddress? {
        var text = ""
        while !text.contains("\n") {
            let bytes = output.availableData
            guard !bytes.isEmpty else { return nil }
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text.split(whereSeparator: { $0 == " " || $0 == "\n" }).first { $0.hasPrefix("http://") }
            .flatMap { ServerAddress(url: String($0)) }
    }
}
