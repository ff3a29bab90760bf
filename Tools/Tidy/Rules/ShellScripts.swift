import Foundation

/// A script is syntactically valid, and stops at its first failure.
struct ShellScripts: Rule {
    let name = "shell-script"

    let good = [SourceFile(path: "Tools/a", text: "#!/usr/bin/env bash\nset -euo pipefail\nif true; then echo yes; fi\n")]
    let bad = [
        SourceFile(path: "Tools/a", text: "#!/usr/bin/env bash\nset -euo pipefail\nif true; then echo yes\n"),
        SourceFile(path: "Tools/a", text: "#!/usr/bin/env bash\necho yes\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isShell else { return [] }
        var findings: [Finding] = []
        if !file.lines.contains(where: { $0.hasPrefix("set -euo pipefail") }) {
            findings.append(finding(file, line: 1, "begin with `set -euo pipefail`"))
        }
        if let complaint = Self.complaint(ofBashAbout: file.lines.joined(separator: "\n")) {
            findings.append(finding(file, line: 1, "make `bash -n` content: \(complaint)"))
        }
        return findings
    }

    /// The error message of `bash -n` for a script, on one line; `nil` if there is none.
    private static func complaint(ofBashAbout script: String) -> String? {
        let bash = Process()
        bash.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        bash.arguments = ["bash", "-n", "-c", script]
        let errors = Pipe()
        bash.standardError = errors
        bash.standardInput = FileHandle.nullDevice
        do { try bash.run() } catch { return "bash cannot be started: \(error.localizedDescription)" }
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        bash.waitUntilExit()
        guard bash.terminationStatus != 0 else { return nil }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
    }
}
