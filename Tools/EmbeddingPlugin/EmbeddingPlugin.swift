import Foundation
import PackagePlugin

/// Generates Swift code with the API's description for `HTTPAPI`, and with the assets, templates and texts of the pages for `WebPages`, in
/// every build after one of these files has changed.
///
/// `Tools/describe` and `Tools/embed` do the work. They need Python 3 and PyYAML (Debian: `python3-yaml`), which `Tools/run` and
/// `Tools/test` install.
@main
struct EmbeddingPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        target.name == "HTTPAPI"
            ? [
                try command(
                    "describe", in: context, with: ["describe_expand.py", "describe_page.py", "described.py"],
                    from: [target.directoryURL.appending(path: "Description/description.yaml")],
                    to: ["DescriptionYAML", "DescriptionJSON", "DescriptionPage"])
            ]
            : [
                try command(
                    "embed", in: context, with: ["page_assets.py", "page_words.py", "described.py"],
                    from: ["Assets", "Templates", "Words"].flatMap { try files(in: target.directoryURL.appending(path: $0)) },
                    to: ["Assets", "Templates", "Words"])
            ]
    }

    private func command(
        _ script: String, in context: PluginContext, with modules: [String], from sources: [URL], to outputs: [String]
    ) throws -> Command {
        let tools = context.package.directoryURL.appending(path: "Tools")
        let program = tools.appending(path: script)
        let output = context.pluginWorkDirectoryURL
        return .buildCommand(
            displayName: "Tools/\(script)",
            executable: try python(),
            arguments: [program.path(), "--output", output.path()],
            inputFiles: sources + [program] + modules.map { tools.appending(path: "lib/\($0)") },
            outputFiles: outputs.map { output.appending(path: "\($0).generated.swift") })
    }

    private func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    /// The first `python3` on the `PATH`.
    private func python() throws -> URL {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let programs = folders.map { URL(filePath: String($0)).appending(path: "python3") }
        guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path()) }) else {
            throw MissingPython()
        }
        return program
    }
}

/// No `python3` is on the `PATH`.
struct MissingPython: Error, CustomStringConvertible {
    var description: String { "no python3 on the PATH: install it, and PyYAML (Debian: python3 and python3-yaml)" }
}
