import ArgumentParser
import Foundation
import LoadGenerator

/// A development server on a temporary folder, for one run.
final class OwnServer {
    let address: ServerAddress
    private let process = Process()
    private let folder: URL

    /// Starts it and waits for its line.
    init(executable: String) throws {
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw ValidationError("there is no \(executable): build it, name it with --greentea, or name a running server with --url")
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "greentea-load-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = Pipe()
        process.executableURL = URL(filePath: executable)
        process.arguments = ["serve", "--dev", "--data", folder.appending(path: "data").path, "--listen", "127.0.0.1:0"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        guard let address = Self.address(in: output.fileHandleForReading) else {
            process.terminate()
            throw ValidationError("the server did not start; try `\(executable) serve --dev --data FOLDER` by hand")
        }
        self.address = address
    }

    /// Bytes that the server holds in memory; `nil` where the system does not say.
    var residentBytes: Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1_024 }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
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
