import Foundation
import PackagePlugin

/// Embeds the assets, templates and texts of the web pages in generated Swift code, in every build of `WebPages` after one of them has
/// changed.
///
/// `Tools/embed` does the work. It needs Python 3 and PyYAML (Debian: `python3-yaml`), which `Tools/run` and `Tools/test` install.
@main
struct PagesPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tools = context.package.directoryURL.appending(path: "Tools")
        let scripts = ["embed", "lib/page_assets.py", "lib/page_words.py", "lib/described.py"]
        let output = context.pluginWorkDirectoryURL
        let sources = try ["Assets", "Templates", "Words"].flatMap { name -> [URL] in
            let folder = target.directoryURL.appending(path: name)
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        }
        return [
            .buildCommand(
                displayName: "Embedding the pages",
                executable: try python(),
                arguments: [tools.appending(path: "embed").path(), "--output", output.path()],
                inputFiles: sources + scripts.map { tools.appending(path: $0) },
                outputFiles: ["Assets", "Templates", "Words"].map { output.appending(path: "\($0).generated.swift") })
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
