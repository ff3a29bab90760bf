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
        var isLibrary: Bool { folder == "Sources/" + name && name != "greentea" }
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

    /// Folders that `Tools/fuzz` and `Tools/sanitize` compile with manifests of their own, and what they may import besides.
    private static let elsewhere: [String: Set<String>] = ["Tests/Fuzz/Entry/": ["CFuzzer"], "Tests/Sanitizers/": []]

    /// Empty for a text without targets.
    init(manifest: SourceFile) {
        let text = manifest.text
        guard let start = text.ranges(of: "\n    targets: [").last?.upperBound else {
            layers = []
            return
        }
        var products: [String: String] = [:]
        for match in text.matches(of: #/let (\w+) = Target\.Dependency\.product\(name: "(\w+)"/#) {
            products[String(match.1)] = String(match.2)
        }
        let calls = text[start...].matches(of: #/(layer|command|tests|\.target|\.testTarget|\.systemLibrary|\.plugin)\(/#)
        layers = zip(calls, calls.dropFirst().map(\.range.lowerBound) + [text.endIndex]).compactMap { call, end in
            Self.layer(call.1, text[call.range.upperBound..<end], products)
        }
    }

    private static func layer(_ call: Substring, _ text: Substring, _ products: [String: String]) -> Layer? {
        guard let first = text.firstMatch(of: #/"([\w-]+)"/#)?.1 else { return nil }
        let name = first + (call == "tests" ? "Tests" : "")
        let parent = call == "tests" || call == ".testTarget" ? "Tests/" : "Sources/"
        let folder = text.firstMatch(of: #/(?:at|path): "([^"]+)"/#)?.1 ?? parent + name
        let list = text.firstMatch(of: #/(?:on|dependencies): \[([^\]]*)\]/#)?.1 ?? ""
        let dependencies = list.matches(of: #/"([\w-]+)"|(\w+)/#).compactMap { item in
            item.1.map(String.init) ?? item.2.flatMap { products[String($0)] }
        }
        let implied = call == "tests" ? [String(first)] : call == ".plugin" ? ["PackagePlugin"] : []
        return Layer(name: String(name), folder: String(folder), dependencies: implied + dependencies)
    }

    /// The modules that a file may import; nil for an unknown folder. Tests may also import those of the layer that they test.
    func allowed(at path: String) -> Set<String>? {
        let besides = Self.elsewhere.first { path.hasPrefix($0.key) }?.value
        let layer = layers.first { path.hasPrefix($0.folder + "/") }
        guard layer?.name != "Loyalty" else { return [] }
        guard layer != nil || besides != nil else { return nil }
        let tested = layers.first { $0.name + "Tests" == layer?.name }
        let dependencies = (layer?.dependencies ?? []) + (tested?.dependencies ?? [])
        return dependencies.reduce(into: Self.toolchain.union(besides ?? [])) { $0.formUnion(Self.modules[$1] ?? [$1]) }
    }

    /// A Mermaid diagram of the libraries and programs with their direct dependencies, without those of another direct dependency.
    var diagram: String {
        let shown = layers.filter { $0.folder.hasPrefix("Sources/") || $0.folder.hasPrefix("Tools/") }
            .filter { $0.name != "greentea-tidy" && $0.dependencies != ["PackagePlugin"] }
        let names = Set(shown.map(\.name))
        var below: [String: Set<String>] = [:]
        let lines = shown.map { layer in
            let direct = names.intersection(layer.dependencies)
            let implied = direct.reduce(into: Set<String>()) { $0.formUnion(below[$1] ?? []) }
            below[layer.name] = direct.union(implied)
            let arrow = direct.subtracting(implied).sorted().joined(separator: " & ")
            return "    " + layer.name + (arrow.isEmpty ? "" : " --> " + arrow)
        }
        return (["```mermaid", "flowchart TD"] + lines + ["```"]).joined(separator: "\n")
    }
}

/// A target imports exactly the libraries that `Package.swift` lists as its dependencies, which come before it.
///
/// The code map's diagram of the layers must agree with `Package.swift`.
struct LayerImports: Rule {
    let name = "layer-imports"

    private static let map = "Sources/README.md"
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

    let good: KeyValuePairs = [
        "Sources/EventLog/A.swift": "public import LMDB\ninternal import Glibc\n",
        "Sources/Loyalty/A.swift": "/// import Foundation\nlet text = \"import Foundation\"\n",
        "Tests/EventLogTests/A.swift": "@testable import EventLog\nimport LMDB\nimport Testing\n",
    ]
    let bad: KeyValuePairs = [
        "Sources/Loyalty/A.swift": "import Foundation\n",
        "Sources/EventLog/A.swift": "internal import Loyalty\n",
        "Sources/LMDB/A.swift": "@preconcurrency public import EventLog\n",
        "Sources/Loyalty/B.swift": "import struct Foundation.Date\n",
        "Sources/Unheard/A.swift": "import Foundation\n",
        "Package.swift": sample.replacing("layer(\"LMDB\")", with: "layer(\"LMDB\", on: [\"EventLog\"])"),
        map: "```mermaid\nflowchart TD\n    LMDB --> EventLog\n```\n",
    ]

    /// The findings in one file, for the rule's samples. Unless the file is a manifest itself, the sample manifest declares the layers.
    func findings(in file: SourceFile) -> [Finding] {
        let manifest = file.path == "Package.swift" ? file : SourceFile(path: "Package.swift", text: Self.sample)
        let table = LayerTable(manifest: manifest)
        return imports(in: file, table) + diagram(in: file, table) + order(of: table, manifest)
    }

    func findings(in files: [SourceFile]) -> [Finding] {
        guard let manifest = files.first(where: { $0.path == "Package.swift" }) else { return [] }
        let table = LayerTable(manifest: manifest)
        return files.flatMap { imports(in: $0, table) + diagram(in: $0, table) } + order(of: table, manifest)
            + unused(in: files, table, manifest)
    }

    private func imports(in file: SourceFile, _ table: LayerTable) -> [Finding] {
        guard file.path.hasSuffix(".swift"), file.path.contains("/") else { return [] }
        let allowed = table.allowed(at: file.path)
        return findings(in: file.code, of: file) { line in
            guard let module = Self.module(importedBy: line) else { return nil }
            guard let allowed else { return "add this folder to Package.swift" }
            guard !allowed.contains(module) else { return nil }
            return "do not import \(module) here; besides the toolchain's modules, this layer may import "
                + (allowed.isEmpty ? "nothing" : allowed.subtracting(LayerTable.toolchain).sorted().joined(separator: ", "))
        }
    }

    private func diagram(in file: SourceFile, _ table: LayerTable) -> [Finding] {
        guard file.path == Self.map, !file.text.contains(table.diagram) else { return [] }
        return [finding(file, line: 1, "put the output of greentea-tidy --layers in the place of the diagram")]
    }

    private func order(of table: LayerTable, _ manifest: SourceFile) -> [Finding] {
        var above = Set(table.layers.map(\.name))
        return table.layers.flatMap { layer -> [Finding] in
            let early = above.intersection(layer.dependencies)
            above.remove(layer.name)
            return early.sorted().map { finding(manifest, line: 1, "list \($0) before \(layer.name), which depends on it") }
        }
    }

    /// Libraries that no file of the layer imports. Tests start programs without importing them, so these are not reported.
    private func unused(in files: [SourceFile], _ table: LayerTable, _ manifest: SourceFile) -> [Finding] {
        let libraries = Set(table.layers.filter(\.isLibrary).map(\.name))
        return table.layers.flatMap { layer -> [Finding] in
            let own = files.filter { $0.path.hasPrefix(layer.folder + "/") && $0.path.hasSuffix(".swift") }
            let imported = own.flatMap { $0.code.compactMap(Self.module(importedBy:)) }
            return libraries.intersection(layer.dependencies).subtracting(imported).sorted().map {
                finding(manifest, line: 1, "\(layer.name) imports nothing from \($0): remove that dependency")
            }
        }
    }

    /// `public import struct Foundation.Date` gives `Foundation`.
    private static func module(importedBy line: String) -> String? {
        guard line.contains("import ") else { return nil }
        let form = #/^ *(?:@\w+ )?(?:\w+ )?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)/#
        return line.firstMatch(of: form).map { String($0.1) }
    }
}
