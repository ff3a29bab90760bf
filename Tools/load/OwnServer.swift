import Foundation
import LoadGenerator
import Synchronization

/// A development server on a temporary folder, for one run.
final class OwnServer: Sendable {
    private let executable: String
    private let folder = FileManager.default.temporaryDirectory.appending(path: "greentea-load-\(UUID().uuidString)")
    /// Nil before it is started and once it is cleared away.
    private let process = Mutex<Process?>(nil)
    /// Set for good by ``stop()``: who asks for the end while it starts must not leave it behind.
    private let isOver = Atomic(false)

    /// - Throws: `LoadRefusal.noServer`.
    init(executable: String) throws(LoadRefusal) {
        guard FileManager.default.isExecutableFile(atPath: executable) else { throw .noServer(executable) }
        self.executable = executable
    }

    /// Starts it and waits for its line.
    ///
    /// - Throws: `LoadRefusal.notStarted`, or what kept the folder or the process from being made.
    func start() throws -> ServerAddress {
        let output = Pipe()
        try process.withLock { process in
            guard !isOver.load(ordering: .acquiring) else { throw LoadRefusal.notStarted(executable) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let started = Process()
            started.executableURL = URL(filePath: executable)
            started.arguments = ["serve", "--dev", "--data", folder.appending(path: "data").path, "--listen", "127.0.0.1:0"]
            started.standardOutput = output
            started.standardError = FileHandle.nullDevice
            try started.run()
            process = started
        }
        guard let address = Self.address(in: output.fileHandleForReading) else { throw LoadRefusal.notStarted(executable) }
        return address
    }

    /// Bytes that the server holds in memory; `nil` where the system does not say.
    var residentBytes: Int? {
        guard let pid = process.withLock({ $0?.processIdentifier }) else { return nil }
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1_024 }
    }

    /// Ends the server and removes its folder. Any thread may call it, any number of times; the server is gone when it returns.
    func stop() {
        isOver.store(true, ordering: .releasing)
        process.withLock { process in
            process?.terminate()
            process?.waitUntilExit()
            process = nil
            try? FileManager.default.removeItem(at: folder)
        }
    }

    /// The URL in the line that a server prints when it is ready.
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
