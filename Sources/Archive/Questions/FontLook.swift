internal import Foundation

/// Checks whether a font of this machine has Chinese characters, without which the service refuses most paper cards.
public struct FontLook: Sendable {
    /// 茶, which every font for ordinary Chinese has.
    private static let pattern = ":charset=8336"

    private let families: [String]?

    /// Asks fontconfig, which the library that draws the cards uses too.
    public init() { self.init(families: Self.listed()) }

    init(families: [String]?) { self.families = families }

    var line: Checkup.Line {
        guard let families else {
            return Checkup.Line(
                "fonts", .warning, "they cannot be listed", "Look on the service's machine: fc-list \(Self.pattern) (package fontconfig).")
        }
        guard let first = families.first else {
            return Checkup.Line(
                "fonts", .warning, "none has Chinese characters, so paper cards with them are refused",
                "apt-get install fonts-noto-cjk, and restart the service.")
        }
        return Checkup.Line("fonts", .ok, "\(first) has Chinese characters")
    }

    private static func listed() -> [String]? {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/fc-list")
        process.arguments = ["--format", "%{family[0]}\\n", pattern]
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        do { try process.run() } catch { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? Set(text.split(separator: "\n").map(String.init)).sorted() : nil
    }
}
