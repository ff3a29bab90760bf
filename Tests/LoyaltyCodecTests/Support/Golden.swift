import EventLog
import Foundation
import Loyalty
import LoyaltyCodec

/// The files in `Fixtures/events`: for each golden event, the bytes of its record (`.hex`, 32 in a line) and its decoded content (`.json`).
enum Golden {
    /// Whether this run writes the files instead of comparing them.
    static let isRecording = ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1"

    static var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/events", directoryHint: .isDirectory)
    }

    /// The names of all stored goldens, including those of types that are no longer written.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".hex") }.map { String($0.dropLast(4)) }
            .sorted()
    }

    static func text(_ name: String, _ ending: String) throws -> String {
        try String(contentsOf: folder.appending(path: "\(name).\(ending)"), encoding: .utf8)
    }

    static func record(_ sample: Sample) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let bytes = try Bytes.record(sample.encoded())
        let json = FactText.json(try Bytes.decode(bytes, at: 1))
        try hexLines(bytes).write(to: folder.appending(path: "\(sample.name).hex"), atomically: true, encoding: .utf8)
        try "\(json)\n".write(to: folder.appending(path: "\(sample.name).json"), atomically: true, encoding: .utf8)
    }

    static func hexLines(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 32)
            .map { Bytes.hex(bytes[$0..<min($0 + 32, bytes.count)]) + "\n" }.joined()
    }
}
