import Foundation

/// What UmaDB does on this machine, measured in the same run by `Tools/umadb-baseline`.
enum UmaDBBaseline {
    /// - Parameter server: the umadb executable of its wheel; the Python beside it runs the script.
    /// - Returns: figures by name, in events a second.
    static func figures(of server: String, _ arguments: [String]) throws -> [String: Double] {
        let python = URL(fileURLWithPath: server).deletingLastPathComponent().appendingPathComponent("python").path
        let output = try output(of: python, ["Tools/umadb-baseline", "--server", server, "--seconds", "5"] + arguments)
        guard let figures = try JSONSerialization.jsonObject(with: output) as? [String: Double] else { throw BenchError.unexpected }
        return figures
    }
}
