import Foundation

/// The files that the rules look at.
struct Repository {
    let root: String

    /// Folders of the repository that hold what people write; build folders and data are not among them.
    private static let places = ["Sources", "Tools", "Tests", ".ci"]
    private static let topLevelEndings = [".swift", ".md"]
    private static let endings = [".swift", ".md", ".py", ".sh", ".proto", ".yml", ".yaml", ".json"]

    /// Every file worth reading, in the order of its path. Files that are not text are left out.
    func files() throws -> [SourceFile] {
        var paths = try FileManager.default.contentsOfDirectory(atPath: root).filter { name in
            Self.topLevelEndings.contains { name.hasSuffix($0) }
        }
        for place in Self.places { paths += try self.paths(under: place) }
        return paths.sorted().compactMap(file)
    }

    private func paths(under place: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: root + "/" + place) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: root + "/" + place)
            .map { place + "/" + $0 }
            .filter { path in
                let name = path.split(separator: "/").last ?? ""
                guard !path.contains("/.build"), !path.contains("__pycache__") else { return false }
                return !name.contains(".") || Self.endings.contains { name.hasSuffix($0) }
            }
    }

    private func file(_ path: String) -> SourceFile? {
        guard let data = FileManager.default.contents(atPath: root + "/" + path) else { return nil }
        return String(data: data, encoding: .utf8).map { SourceFile(path: path, text: $0) }
    }
}
