import Foundation
import PackagePlugin

/// Generates the served forms of the API's description from `description.yaml`, in every build of `HTTPAPI` after a change of that file.
///
/// `Tools/describe` does the work. It needs Python 3 and PyYAML (Debian: `python3-yaml`), which `Tools/run` and `Tools/test` install.
@main
struct DescriptionPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tools = context.package.directoryURL.appending(path: "Tools")
        let scripts = ["describe", "lib/describe_expand.py", "lib/describe_page.py", "lib/described.py"]
        let source = target.directoryURL.appending(path: "Description/description.yaml")
        let output = context.pluginWorkDirectoryURL
        return [
            .buildCommand(
                displayName: "Describing the API",
                executable: try python(),
                arguments: [tools.appending(path: "describe").path(), "--output", output.path()],
                inputFiles: [source] + scripts.map { tools.appending(path: $0) },
                outputFiles: ["YAML", "JSON", "Page"].map { output.appending(path: "Description\($0).generated.swift") })
        ]
    }

    /// The first `python3` on the `PATH`.
    private func python() throws -> URL {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        for folder in folders {
            let program = URL(filePath: String(folder)).appending(path: "python3")
            if FileManager.default.isExecutableFile(atPath: program.path()) { return program }
        }
        throw MissingPython()
    }
}

/// No `python3` is on the `PATH`.
struct MissingPython: Error, CustomStringConvertible {
    var description: String { "no python3 on the PATH: install it, and PyYAML (Debian: python3 and python3-yaml)" }
}
