/// A file is named after its only visible type, or after the common subject of several visible types.
///
/// A protocol's file may contain its standard implementation. `Type+Aspect.swift` declares no other visible type.
struct FileNames: Rule {
    let name = "file-name"

    let good = [
        SourceFile(path: "Sources/A/Card.swift", text: "public struct Card {\n    public enum Kind {}\n}\nstruct Helper {}\n"),
        SourceFile(path: "Sources/A/Card+Evolve.swift", text: "extension Card {\n    public struct Step {}\n}\n"),
        SourceFile(path: "Sources/A/Clock.swift", text: "public protocol Clock {}\npublic struct SystemClock: Clock {}\n"),
        SourceFile(path: "Sources/A/CardEvents.swift", text: "public struct CardOpened {}\npublic struct CardStamped {}\n"),
        SourceFile(path: "Sources/A/ID.swift", text: "public struct ID<Noun> {}\npublic typealias CardID = ID<Int>\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/A/Cards.swift", text: "@frozen public struct Card {}\n"),
        SourceFile(path: "Sources/A/Card+Evolve.swift", text: "package final class Stamp {}\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        let expected = file.baseName.split(separator: "+").first.map(String.init) ?? file.baseName
        let types = visibleTypes(in: file)
        // Several visible types have a common subject, so any name without `+` is right, as is the name of one of the types.
        guard types.count == 1 && !declares(expected, in: file) || file.baseName.contains("+") else { return [] }
        return types.compactMap { line, type in
            guard type != expected, !isImplementation(file.code[line - 1], of: expected) else { return nil }
            return finding(file, line: line, "move \(type) to \(type).swift")
        }
    }

    /// Whether a type's first line shows conformance to the protocol after which the file is named.
    private func isImplementation(_ line: String, of name: String) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return false }
        return line[colon...].split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == name }
    }

    private func declares(_ name: String, in file: SourceFile) -> Bool {
        file.code.contains { line in
            guard !line.hasPrefix(" "), let found = Declarations.declaration(in: line) else { return false }
            return found.isType && found.name == name
        }
    }

    /// Types in the first column, where all top-level declarations begin.
    private func visibleTypes(in file: SourceFile) -> [(line: Int, name: String)] {
        file.code.enumerated().compactMap { index, line in
            guard !line.hasPrefix(" "), let found = Declarations.declaration(in: line), found.isType, found.isVisible else { return nil }
            return (index + 1, found.name)
        }
    }
}

/// A folder of shipped Swift files has at least four files, and a noun as name. Smaller folders hide answers; targets are exempt.
struct Folders: Rule {
    let name = "folder"

    static let filesMin = 4

    /// Each with its reason.
    static let small: [String: String] = ["Sources/ReadModels/Cards": "a folder a model; cards have three subjects"]

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
        let counted = files.filter { $0.isSwift && $0.isShipped }
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
