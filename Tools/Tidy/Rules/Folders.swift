/// A folder of source files holds at least four of them, and its name is a noun.
///
/// Smaller folders make a reader open many doors for one answer. A folder right below `Sources` or `Tools` is a target and may be small.
struct Folders: Rule {
    let name = "folder"

    static let filesMin = 4

    /// Folders that stay small, each with its reason.
    static let small: [String: String] = [:]

    let good = [
        SourceFile(path: "Sources/A/A.swift", text: ""),
        SourceFile(path: "Tools/a/b.py", text: ""),
    ]
    let bad = [
        SourceFile(path: "Sources/A/Writer/Writer.swift", text: ""),
        SourceFile(path: "Sources/A/Writing/B.swift", text: ""),
    ]

    func findings(in file: SourceFile) -> [Finding] { findings(in: [file]) }

    func findings(in files: [SourceFile]) -> [Finding] {
        let counted = files.filter { $0.path.hasSuffix(".swift") && $0.isShipped }
        return Dictionary(grouping: counted, by: \.folder).sorted { $0.key < $1.key }.flatMap { folder, files -> [Finding] in
            guard folder.split(separator: "/").count > 2 else { return [] }
            var advice: [String] = []
            if files.count < Self.filesMin, Self.small[folder] == nil {
                advice.append("merge this folder: \(files.count) files, at least \(Self.filesMin)")
            }
            if folder.hasSuffix("ing") { advice.append("name this folder with a noun: \(folder)") }
            return advice.map { finding(files[0], line: 1, $0) }
        }
    }
}
