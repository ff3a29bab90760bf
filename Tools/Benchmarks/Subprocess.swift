import Foundation

/// Runs a command from the PATH and returns its output.
func output(of command: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError.missingTool(command) }
    return data
}

/// UmaDB's figures on this machine, measured in the same run by `Tools/umadb-baseline`.
enum UmaDBBaseline {
    /// Figures by name, in events per second.
    ///
    /// - Parameter server: the `umadb` executable of UmaDB's Python package. The `python` beside it runs the script.
    static func figures(of server: String, _ arguments: [String]) throws -> [String: Double] {
        let python = URL(fileURLWithPath: server).deletingLastPathComponent().appendingPathComponent("python").path
        let output = try output(of: python, ["Tools/umadb-baseline", "--server", server, "--seconds", "5"] + arguments)
        guard let figures = try JSONSerialization.jsonObject(with: output) as? [String: Double] else { throw BenchError.unexpected }
        return figures
    }
}
