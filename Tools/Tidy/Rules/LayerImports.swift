/// A target imports only what stands below it.
struct LayerImports: Rule {
    let name = "layer-imports"

    let good = [
        SourceFile(path: "Sources/EventLog/A.swift", text: "public import LMDB\ninternal import Glibc\n"),
        SourceFile(path: "Sources/Loyalty/A.swift", text: "/// import Foundation\nlet text = \"import Foundation\"\n"),
        SourceFile(path: "Tests/LMDBTests/A.swift", text: "@testable import LMDB\nimport Testing\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/Loyalty/A.swift", text: "import Foundation\n"),
        SourceFile(path: "Sources/EventLog/A.swift", text: "internal import Loyalty\n"),
        SourceFile(path: "Sources/ReadModels/A.swift", text: "@preconcurrency public import CommandService\n"),
        SourceFile(path: "Sources/Loyalty/A.swift", text: "import struct Foundation.Date\n"),
        SourceFile(path: "Sources/Unheard/A.swift", text: "import Foundation\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard path(isWatched: file) else { return [] }
        let imports = file.code.enumerated().compactMap { index, line in module(importedBy: line).map { (index + 1, $0) } }
        guard let first = imports.first else { return [] }
        guard let allowed = LayerTable.allowed(at: file.path) else {
            return [finding(file, line: first.0, "add this folder to Tools/Tidy/LayerTable.swift")]
        }
        return imports.filter { !allowed.contains($0.1) }.map { line, module in
            finding(file, line: line, "do not import \(module) here; this layer may import \(list(allowed))")
        }
    }

    private func path(isWatched file: SourceFile) -> Bool {
        file.path.hasSuffix(".swift") && file.path.contains("/")
    }

    /// The module of an import line: `public import struct Foundation.Date` gives `Foundation`.
    private func module(importedBy line: String) -> String? {
        guard let declaration = Declarations.declaration(in: line), declaration.kind == "import" else { return nil }
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        guard kinds.contains(declaration.name) else { return declaration.name }
        var words = Words(line)
        while let word = words.next() {
            if kinds.contains(word) { return words.next() }
        }
        return nil
    }

    private func list(_ modules: Set<String>) -> String {
        let own = modules.subtracting(LayerTable.toolchain).sorted()
        guard !own.isEmpty else { return modules.isEmpty ? "nothing" : "the toolchain's modules only" }
        return own.joined(separator: ", ")
    }
}
