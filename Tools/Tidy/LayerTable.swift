/// The layers as declared in `Package.swift`: the dependencies of each target, and the folder of its files.
///
/// SwiftPM permits a target to import any module that happens to have been built, so the manifest alone does not separate the layers. The
/// parser knows only this repository's form of manifest.
struct LayerTable {
    struct Layer {
        let name: String
        /// Such as `Sources/EventLog`.
        let folder: String
        /// Targets and products.
        let dependencies: [String]
        let line: Int
        var isTest: Bool { folder.hasPrefix("Tests/") }
    }

    let layers: [Layer]

    /// Modules of the toolchain. Every layer may import them, except `Loyalty`, which imports nothing.
    static let toolchain: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Glibc", "Darwin", "Dispatch", "Synchronization",
        "Swift", "Testing", "os",
    ]

    /// Products with other modules than the one of their name.
    private static let modules: [String: Set<String>] = [
        "Hummingbird": [
            "Hummingbird", "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1",
            "NIOFoundationCompat", "ServiceLifecycle", "UnixSignals", "Logging", "AsyncAlgorithms",
        ]
    ]

    /// Folders that are not layers, with the modules that they may import. `Tools/fuzz` and `Tools/sanitize` compile theirs with own
    /// manifests.
    private static let elsewhere: [String: Set<String>] = [
        "Tools/DescriptionPlugin": ["PackagePlugin"], "Tools/PagesPlugin": ["PackagePlugin"],
        "Tests/Fuzz/Entry": ["CFuzzer"], "Tests/Sanitizers": [],
    ]

    /// Empty for a text without targets.
    init(manifest: String) {
        let code = manifest.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " }.hasPrefix("//") ? "" : String($0) }
            .joined(separator: "\n")
        guard let start = code.ranges(of: "\n    targets: [").last else {
            layers = []
            return
        }
        var products: [String: String] = [:]
        for match in code.matches(of: #/let (\w+) = Target\.Dependency\.product\(name: "(\w+)"/#) {
            products[String(match.1)] = String(match.2)
        }
        var (found, place): ([Layer], String.Index) = ([], start.upperBound)
        let call = #/(layer|command|tests|\.target|\.testTarget|\.executableTarget|\.systemLibrary)\(/#
        while let match = code[place...].firstMatch(of: call) {
            let body = Self.balanced(code[match.range.upperBound...])
            place = body.endIndex
            let line = code[..<match.range.lowerBound].count { $0 == "\n" } + 1
            if let layer = Self.layer(String(match.1), body, products, line) { found.append(layer) }
        }
        layers = found
    }

    private static func layer(_ call: String, _ body: Substring, _ products: [String: String], _ line: Int) -> Layer? {
        guard let first = body.firstMatch(of: #/"([\w-]+)"/#) else { return nil }
        let name = String(first.1) + (call == "tests" ? "Tests" : "")
        let place = call == "tests" || call == ".testTarget" ? "Tests/" : "Sources/"
        let path = body.firstMatch(of: #/(?:at|path): "([^"]+)"/#).map { String($0.1) } ?? place + name
        var dependencies = call == "tests" ? [String(first.1)] : []
        if let list = body.firstMatch(of: #/(?:on|dependencies): \[/#) {
            var items = String(balanced(body[list.range.upperBound...]))
            for product in items.matches(of: #/\.product\(name: "(\w+)", package: "[^"]+"\)/#) { dependencies.append(String(product.1)) }
            items.replace(#/\.product\([^)]*\)/#, with: "")
            for item in items.split(separator: ",") {
                let text = item.filter { !$0.isWhitespace }
                guard !text.isEmpty else { continue }
                dependencies.append(text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : products[text] ?? text)
            }
        }
        return Layer(name: name, folder: path, dependencies: dependencies, line: line)
    }

    /// The text up to the bracket that closes the one directly before it.
    private static func balanced(_ text: Substring) -> Substring {
        var depth = 1
        for index in text.indices {
            switch text[index] {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            default: break
            }
            if depth == 0 { return text[..<index] }
        }
        return text
    }

    func layer(named name: String) -> Layer? { layers.first { $0.name == name } }

    /// The modules that a file may import; nil for an unknown folder. Tests may also import those of the layer that they test.
    func allowed(at path: String) -> Set<String>? {
        for (folder, modules) in Self.elsewhere where path.hasPrefix(folder + "/") {
            return modules.union(layer(at: path).map { self.modules(of: $0) } ?? []).union(Self.toolchain)
        }
        guard let layer = layer(at: path) else { return nil }
        guard layer.name != "Loyalty" else { return [] }
        var allowed = modules(of: layer)
        if layer.isTest, layer.name.hasSuffix("Tests"), let tested = self.layer(named: String(layer.name.dropLast(5))) {
            allowed.formUnion(modules(of: tested))
        }
        return allowed.union(Self.toolchain)
    }

    private func layer(at path: String) -> Layer? { layers.first { path.hasPrefix($0.folder + "/") } }

    private func modules(of layer: Layer) -> Set<String> {
        layer.dependencies.reduce(into: []) { $0.formUnion(Self.modules[$1] ?? [$1]) }
    }

    // MARK: The diagram

    /// Each library and program with its direct dependencies, without those of another direct dependency.
    var arrows: [(layer: Layer, below: [String])] {
        let shown = layers.filter { !$0.isTest && $0.name != "greentea-tidy" }
        let names = Set(shown.map(\.name))
        var below: [String: Set<String>] = [:]
        for layer in shown {
            let direct = names.intersection(layer.dependencies)
            below[layer.name] = direct.reduce(into: direct) { $0.formUnion(below[$1] ?? []) }
        }
        return shown.map { layer in
            let direct = names.intersection(layer.dependencies)
            let implied = direct.reduce(into: Set<String>()) { $0.formUnion(below[$1] ?? []) }
            return (layer, direct.subtracting(implied).sorted())
        }
    }

    /// A Mermaid diagram of ``arrows``.
    var diagram: String {
        let lines = arrows.map {
            "    " + ([$0.layer.name] + ($0.below.isEmpty ? [] : [$0.below.joined(separator: " & ")])).joined(separator: " --> ")
        }
        return (["```mermaid", "flowchart TD"] + lines + ["```"]).joined(separator: "\n")
    }
}

/// A target imports exactly the libraries that `Package.swift` lists as its dependencies, which come before it.
///
/// The code map's diagram and the README's picture of the layers must agree with `Package.swift`.
struct LayerImports: Rule {
    let name = "layer-imports"

    private static let map = "Sources/README.md"
    private static let drawing = Repository.drawing
    private static let sample = """
        let package = Package(
            name: "a",
            targets: [
                layer("LMDB"),
                layer("EventLog", on: ["LMDB"]),
                layer("Loyalty"),
                tests(of: "EventLog"),
            ]
        )
        """

    let good = [
        SourceFile(path: "Sources/EventLog/A.swift", text: "public import LMDB\ninternal import Glibc\n"),
        SourceFile(path: "Sources/Loyalty/A.swift", text: "/// import Foundation\nlet text = \"import Foundation\"\n"),
        SourceFile(path: "Tests/EventLogTests/A.swift", text: "@testable import EventLog\nimport LMDB\nimport Testing\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/Loyalty/A.swift", text: "import Foundation\n"),
        SourceFile(path: "Sources/EventLog/A.swift", text: "internal import Loyalty\n"),
        SourceFile(path: "Sources/LMDB/A.swift", text: "@preconcurrency public import EventLog\n"),
        SourceFile(path: "Sources/Loyalty/A.swift", text: "import struct Foundation.Date\n"),
        SourceFile(path: "Sources/Unheard/A.swift", text: "import Foundation\n"),
        SourceFile(path: "Package.swift", text: sample.replacing("layer(\"LMDB\")", with: "layer(\"LMDB\", on: [\"EventLog\"])")),
        SourceFile(path: map, text: "```mermaid\nflowchart TD\n    LMDB --> EventLog\n```\n"),
        SourceFile(path: drawing, text: "<svg/>\n"),
    ]

    /// The findings in one file, for the rule's samples. Unless the file is a manifest itself, the sample manifest declares the layers.
    func findings(in file: SourceFile) -> [Finding] {
        let manifest = file.path == "Package.swift" ? file : SourceFile(path: "Package.swift", text: Self.sample)
        return findings(in: [manifest, file], areAll: false)
    }

    func findings(in files: [SourceFile]) -> [Finding] { findings(in: files, areAll: true) }

    private func findings(in files: [SourceFile], areAll: Bool) -> [Finding] {
        guard let manifest = files.first(where: { $0.path == "Package.swift" }) else { return [] }
        let table = LayerTable(manifest: manifest.lines.joined(separator: "\n"))
        let watched = files.filter { $0.path.hasSuffix(".swift") && $0.path.contains("/") }
        return watched.flatMap { imports(in: $0, table) } + order(of: table, manifest)
            + (areAll ? unused(in: watched, table, manifest) : []) + files.filter { $0.path == Self.map }.flatMap { diagram(in: $0, table) }
            + files.filter { $0.path == Self.drawing }.flatMap { drawing(in: $0, table) }
    }

    private func imports(in file: SourceFile, _ table: LayerTable) -> [Finding] {
        let imports = Self.imports(of: file)
        guard let first = imports.first else { return [] }
        guard let allowed = table.allowed(at: file.path) else {
            return [finding(file, line: first.line, "add this folder to Package.swift")]
        }
        return imports.filter { !allowed.contains($0.module) }.map { line, module in
            finding(file, line: line, "do not import \(module) here; this layer may import \(list(allowed))")
        }
    }

    private func order(of table: LayerTable, _ manifest: SourceFile) -> [Finding] {
        var above = Set(table.layers.map(\.name))
        return table.layers.flatMap { layer -> [Finding] in
            let early = above.intersection(layer.dependencies)
            above.remove(layer.name)
            return early.sorted().map { finding(manifest, line: layer.line, "list \($0) before \(layer.name), which depends on it") }
        }
    }

    /// Libraries that no file of the layer imports. Tests start programs without importing them, so these are not reported.
    private func unused(in files: [SourceFile], _ table: LayerTable, _ manifest: SourceFile) -> [Finding] {
        let libraries = Set(table.layers.filter { $0.folder == "Sources/" + $0.name && $0.name != "greentea" }.map(\.name))
        return table.layers.flatMap { layer -> [Finding] in
            let imported = Set(files.filter { $0.path.hasPrefix(layer.folder + "/") }.flatMap { Self.imports(of: $0).map(\.module) })
            return libraries.intersection(layer.dependencies).subtracting(imported).sorted().map {
                finding(manifest, line: layer.line, "\(layer.name) imports nothing from \($0): remove that dependency")
            }
        }
    }

    private func diagram(in file: SourceFile, _ table: LayerTable) -> [Finding] {
        let text = file.lines.joined(separator: "\n")
        guard !text.contains(table.diagram) else { return [] }
        return [finding(file, line: 1, "put the output of greentea-tidy --layers in the place of the diagram")]
    }

    private func drawing(in file: SourceFile, _ table: LayerTable) -> [Finding] {
        guard file.lines.joined(separator: "\n") != LayerDrawing(table).svg else { return [] }
        return [finding(file, line: 1, "write the output of greentea-tidy --drawing into this file")]
    }

    private static func imports(of file: SourceFile) -> [(line: Int, module: String)] {
        file.code.enumerated().compactMap { index, line in module(importedBy: line).map { (index + 1, $0) } }
    }

    /// `public import struct Foundation.Date` gives `Foundation`.
    private static func module(importedBy line: String) -> String? {
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
