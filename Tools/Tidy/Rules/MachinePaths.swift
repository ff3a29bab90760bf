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

    let good: KeyValuePairs = [
        "README.md": "Put it in ../shared/data or /tmp.\nSee network/work.\n",
        "Package.swift": ".package(url: \"https://github.com/apple/swift-log.git\", from: \"1.0.0\")\n",
    ]
    let bad: KeyValuePairs = [
        "README.md": "cd " + paths[0] + "main\n",
        "Tools/run": "#!/usr/bin/env bash\nexport PATH=\"" + paths[2] + "/usr/bin\"\n",
        "Tests/A/A.swift": "let data = \"" + paths[1] + "data\"\n",
        ".ci/run": "pip install --index-url https://" + hosts[1] + "/simple\n",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        findings(in: file.lines, of: file) { line in
            // In the middle of another path, such a path does not count.
            if let path = Self.paths.first(where: { line.hasWord($0, notBehind: [".", "}"]) }) {
                return "take out the machine's own path \(path)"
            }
            guard let host = Self.hosts.first(where: { line.contains($0) }) else { return nil }
            return "take out the registry \(host); the machine knows where its packages come from"
        }
    }
}
