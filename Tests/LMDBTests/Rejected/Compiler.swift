import Foundation
import Patience

/// The Swift compiler, and the built module `LMDB`, against which it compiles the snippets of these tests.
enum Compiler {
    /// The folder of built modules, beside the binary that contains this code.
    private static let modules: String? = {
        guard let binary = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
        let folder = binary.deletingLastPathComponent().appending(path: "Modules").path
        return FileManager.default.fileExists(atPath: folder + "/LMDB.swiftmodule") ? folder : nil
    }()

    /// The folder with the module map of the C library, found by its path relative to this file.
    private static let headers = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/CLMDB").standardizedFileURL.path

    /// Whether a compiler is in the path, and the built module was found.
    static let isPossible: Bool = {
        guard modules != nil else { return false }
        return (try? run(["swiftc", "--version"]))?.status == 0
    }()

    /// Compiles `code`, and returns the exit status and the diagnostics.
    ///
    /// The compiler checks lifetimes and ownership after it has checked types, so type checking alone would accept nearly every snippet.
    static func check(_ code: String) throws -> (status: Int32, text: String) {
        guard let modules else { throw TestFailure("no built module") }
        let folder = try TemporaryFolder()
        let file = folder.path + "/Snippet.swift"
        try Files.write(("import LMDB\n" + code + "\n").bytes, to: file)
        let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
        return try run(
            ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library", "-strict-memory-safety"]
                + features.flatMap { ["-enable-upcoming-feature", $0] }
                + ["-enable-experimental-feature", "Lifetimes", "-I", modules, "-I", headers, file])
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.runInTime()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
