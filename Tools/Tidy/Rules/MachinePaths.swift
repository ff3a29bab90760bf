/// Each text is valid on every machine: it contains no path that exists only on a particular machine, and no host name of a package
/// registry.
struct MachinePaths: Rule {
    let name = "machine-path"

    /// Each path is split into two literals, because otherwise this file would cause a finding.
    private static let paths = ["/wo" + "rk/", "/ro" + "ot/", "/op" + "t/swift", "/ho" + "me/"]
    private static let hosts = [
        "registry.npm" + "js.org", "py" + "pi.org", "files.python" + "hosted.org", "index.crates" + ".io", "static.crates" + ".io",
        "proxy.go" + "lang.org", "deb.deb" + "ian.org",
    ]

    let good = [
        SourceFile(path: "README.md", text: "Put it in ../shared/data or /tmp.\nSee network/work.\n"),
        SourceFile(path: "Package.swift", text: ".package(url: \"https://github.com/apple/swift-log.git\", from: \"1.0.0\")\n"),
    ]
    let bad = [
        SourceFile(path: "README.md", text: "cd " + paths[0] + "main\n"),
        SourceFile(path: "Tools/run", text: "#!/usr/bin/env bash\nexport PATH=\"" + paths[2] + "/usr/bin\"\n"),
        SourceFile(path: "Tests/A/A.swift", text: "let data = \"" + paths[1] + "data\"\n"),
        SourceFile(path: ".ci/run", text: "pip install --index-url https://" + hosts[1] + "/simple\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        file.lines.enumerated().compactMap { index, line in
            if let path = Self.paths.first(where: { isPath($0, in: line) }) {
                return finding(file, line: index + 1, "take out the machine's own path \(path)")
            }
            guard let host = Self.hosts.first(where: { line.contains($0) }) else { return nil }
            return finding(file, line: index + 1, "take out the registry \(host); the machine knows where its packages come from")
        }
    }

    /// Whether `line` contains a path that begins with `path`. It does not count if `path` is in the middle of another path.
    private func isPath(_ path: String, in line: String) -> Bool {
        guard line.contains(path), let range = line.firstRange(of: path) else { return false }
        guard range.lowerBound > line.startIndex else { return true }
        let before = line[line.index(before: range.lowerBound)]
        return !before.isLetter && !before.isNumber && before != "." && before != "}"
    }
}
