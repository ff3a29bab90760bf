internal import Foundation

/// The recorder `powercut.c`, compiled for a test.
///
/// The recorder is not a target of the package, because a preloaded library must contain neither sanitizers nor the Swift runtime.
package enum Recorder {
    /// Compiles the recorder.
    ///
    /// - Parameter library: the path of the resulting shared library.
    /// - Throws: ``FaultError`` if there is no compiler, or if compiling fails.
    package static func compile(to library: String) throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let compilers = ["cc", "clang", "gcc"].flatMap { name in folders.map { String($0) + "/" + name } }
        guard let compiler = compilers.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw FaultError("no cc, clang or gcc on PATH: install one")
        }
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../PowerCut/powercut.c")
        let process = Process(), errors = Pipe()
        process.executableURL = URL(filePath: compiler)
        process.arguments =
            ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-o", library, source.standardized.path]
        process.standardError = errors
        try process.run()
        let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw FaultError("\(compiler): \(complaints)") }
    }

    /// The environment of a program whose writes are recorded.
    ///
    /// - Parameters:
    ///   - library: the compiled recorder.
    ///   - folder: the folder that is recorded, as `realpath` gives it.
    ///   - journal: the file of the records.
    ///   - boot: a file with the boot id that the program reads in place of the kernel's boot id.
    ///   - answers: whether writes to sockets are also recorded.
    ///   - failure: the flush that fails, in the notation of `powercut.c`.
    package static func variables(
        library: String, folder: String, journal: String, boot: String, answers: Bool = false, failure: String? = nil
    ) -> [String: String] {
        var variables = [
            "LD_PRELOAD": library, "GREENTEA_POWERCUT_FOLDER": folder, "GREENTEA_POWERCUT_JOURNAL": journal, "GREENTEA_POWERCUT_BOOT": boot,
        ]
        if answers { variables["GREENTEA_POWERCUT_ANSWERS"] = "1" }
        variables["GREENTEA_POWERCUT_FAIL"] = failure
        return variables
    }
}
