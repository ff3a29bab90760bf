/// Which module may import which: the layering of `Package.swift` and of `Sources/README.md`, in one place.
///
/// SwiftPM lets a target import whatever happens to have been built, so the manifest alone does not hold the layers apart.
enum LayerTable {
    /// What comes with the toolchain and is open to every layer but `Loyalty`, which imports nothing.
    static let toolchain: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Glibc", "Darwin", "Dispatch", "Synchronization",
        "Swift", "Testing", "os",
    ]

    /// A package's modules, by the product that `Package.swift` names.
    private static let hummingbird: Set<String> = [
        "Hummingbird", "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1",
        "NIOFoundationCompat", "ServiceLifecycle", "UnixSignals", "Logging", "AsyncAlgorithms",
    ]

    private static let domain: Set<String> = ["EventLog", "Loyalty", "LoyaltyCodec"]
    private static let views: Set<String> = domain.union(["LMDB", "ReadModels"])
    private static let service: Set<String> = views.union(["Search", "Images", "CommandService"])
    private static let everything: Set<String> = service.union([
        "Audit", "HTTPAPI", "TillImport", "Console", "ArgumentParser", "Crypto", "Logging", "JWTKit", "CoreMetrics", "Prometheus",
        "TextMessages", "Configuration", "NIOSSL", "Charts",
    ]).union(hummingbird)

    /// By folder in `Sources`.
    static let libraries: [String: Set<String>] = [
        "CLMDB": [],
        "CQREncode": [],
        "LMDB": ["CLMDB"],
        "Merkle": ["Crypto"],
        "EventLog": ["LMDB", "Merkle"],
        "Loyalty": [],
        "LoyaltyCodec": ["EventLog", "Loyalty", "SwiftProtobuf", "Crypto"],
        "ReadModels": views.subtracting(["ReadModels"]),
        "Search": domain.union(["ReadModels", "GRDB", "Crypto"]),
        "Audit": views.union(["Search", "Crypto", "Merkle"]),
        "WhatIf": domain.union(["ReadModels", "Audit", "Charts"]),
        "CGD": [],
        "Images": ["CGD", "LMDB", "Loyalty", "Crypto"],
        "WebPages": ["Loyalty", "LoyaltyCodec", "Crypto", "Mustache"],
        "Prometheus": ["CoreMetrics"],
        "CommandService": views.union(["Search", "Images", "Crypto", "CryptoExtras", "Logging", "Merkle", "CoreMetrics"]),
        "TextMessages": ["AsyncHTTPClient", "Crypto", "NIOCore", "NIOHTTP1"],
        "HTTPAPI": service.subtracting(["LMDB"]).union(hummingbird).union([
            "Audit", "WebPages", "CQREncode", "Crypto", "JWTKit", "Merkle", "CoreMetrics", "Prometheus", "TextMessages", "HummingbirdTLS",
            "NIOSSL",
        ]),
        "Console": [],
        "Charts": [],
        "TillImport": service.subtracting(["LMDB"]),
        "LoadGenerator": ["Histogram", "NIOCore", "NIOPosix", "NIOHTTP1"],
        "greentea": everything.subtracting(["LMDB", "JWTKit", "Crypto"]),
    ]

    /// By folder in `Tools`.
    static let tools: [String: Set<String>] = [
        "Tidy": [],
        "replay": domain.union(["ReadModels", "Search", "Audit", "WhatIf", "Charts", "Console", "ArgumentParser"]),
        "rebuild": domain.union(["ReadModels", "Search", "Audit", "Console", "ArgumentParser"]),
        "audit": service.union(["Merkle", "Audit", "Console", "ArgumentParser"]),
        "Benchmarks": everything,
        "load": ["LoadGenerator", "Console", "ArgumentParser", "NIOPosix"],
    ]

    /// What a file may import, or `nil` where the table does not know the place: then the table is what is wrong.
    static func allowed(at path: String) -> Set<String>? {
        let file = SourceFile(path: path, text: "")
        if let layer = file.layer {
            guard layer != "Loyalty" else { return [] }
            return libraries[layer]?.union(toolchain)
        }
        if let tool = file.folder(under: "Tools/") { return tools[tool]?.union(toolchain) }
        if let tests = file.folder(under: "Tests/") { return allowed(toTests: tests) }
        return []
    }

    /// What several layers' tests share, and what some need beyond their layer.
    private static let testLibraries: [String: Set<String>] = [
        "Seeds": [], "Patience": [], "Histories": domain.union(["Seeds"]), "Faults": ["LMDB", "Merkle", "EventLog", "Seeds"],
        "FaultWriter": ["EventLog", "LMDB", "Faults", "Seeds"], "FaultTests": ["EventLog", "LMDB", "Faults", "Seeds"],
    ]
    /// What is built for a tool as well, and what is laid beside other sources.
    private static let testTools: [String: Set<String>] = [
        "Fuzz": views.union(["Merkle", "Audit", "TillImport", "CFuzzer"]), "Sanitizers": [],
    ]
    private static let testExtras: [String: Set<String>] = [
        "HTTPAPI": ["HummingbirdTesting", "NIOEmbedded"], "TextMessages": hummingbird.union(["HummingbirdTesting"]),
        "Audit": ["Console", "CommandService", "Images"], "WhatIf": ["CommandService", "TillImport"],
        "LoadGenerator": service.union(hummingbird).union(["HTTPAPI"]),
    ]

    /// Tests may import their layer and whatever it may; the end-to-end tests start programs and import none of the layers.
    private static func allowed(toTests tests: String) -> Set<String>? {
        if tests == "EndToEndTests" { return toolchain.union(["Faults", "Seeds", "Patience"]) }
        if let library = testLibraries[tests] { return library.union(toolchain) }
        if let tool = testTools[tests] { return tool.union(toolchain) }
        guard tests.hasSuffix("Tests") else { return nil }
        let layer = String(tests.dropLast(5))
        guard let below = libraries[layer] else { return nil }
        return below.union(toolchain).union([layer]).union(testLibraries.keys).union(testExtras[layer] ?? [])
    }
}

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
