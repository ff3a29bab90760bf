/// `Package.swift` names exact versions of the service's packages, and ranges for those of the library products.
///
/// With ranges, two builds of one commit would differ. An exact version in a library would conflict with the embedding program's.
struct Versions: Rule {
    let name = "versions"

    /// `Tools/check-library` checks that the library products need no others.
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
