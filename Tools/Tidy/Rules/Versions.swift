/// `Package.swift` names exact versions of the packages of the service, and ranges for the packages that the library products need.
///
/// A range of the service would give two builds of one commit different code. An exact version of a library product would conflict with
/// every other version in the program that embeds it.
struct Versions: Rule {
    let name = "versions"

    /// The packages of the library products that the manifest lists. `Tools/check-library` checks that they need no others.
    private static let ofLibraries = ["swift-crypto"]

    let good = [
        SourceFile(path: "Package.swift", text: ".package(url: \"https://example.org/a/swift-log.git\", exact: \"1.0.0\", traits: []),\n"),
        SourceFile(path: "Package.swift", text: ".package(url: \"https://example.org/a/swift-crypto.git\", from: \"1.0.0\"),\n"),
    ]
    let bad = [
        SourceFile(path: "Package.swift", text: ".package(url: \"https://example.org/a/swift-log.git\", from: \"1.0.0\"),\n"),
        SourceFile(path: "Package.swift", text: ".package(url: \"https://example.org/a/swift-log.git\", \"1.0.0\"..<\"1.1.0\"),\n"),
        SourceFile(path: "Package.swift", text: ".package(url: \"https://example.org/a/swift-log.git\", branch: \"main\"),\n"),
        SourceFile(path: "Package.swift", text: ".package(url: \"https://example.org/a/swift-crypto.git\", exact: \"1.0.0\"),\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.path == "Package.swift" else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            guard let match = line.firstMatch(of: #/\.package\(url: ".*/([^/"]+?)(?:\.git)?", *(.*)/#) else { return nil }
            let (package, version) = (String(match.1), match.2)
            let isRange = version.hasPrefix("from:") || version.hasPrefix("\"") || version.hasPrefix(".upToNext")
            if Self.ofLibraries.contains(package) {
                return isRange ? nil : finding(file, line: index + 1, "give \(package), which library products need, a range: from:")
            }
            return version.hasPrefix("exact:") ? nil : finding(file, line: index + 1, "give \(package) the exact version that is in use")
        }
    }
}
