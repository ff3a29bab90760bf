import Caches
import CommandService
import Foundation
import Images
import Search
import Testing

@testable import HTTPAPI

/// The table of shared pools is made from their declarations, and no pool of the service is missing in it.
@Suite("The table of pools")
struct PoolTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
    private static let table = root.appending(path: "Fixtures/pools.md")

    private static let declared: [(name: String, terms: PoolTerms)] =
        Pools.allCases.map { ($0.rawValue, $0.terms) } + ServicePools.allCases.map { ($0.rawValue, $0.terms) }
        + ImagePools.allCases.map { ($0.rawValue, $0.terms) } + SearchPools.allCases.map { ($0.rawValue, $0.terms) }

    private static var text: String {
        let rows = declared.map { name, terms in
            let cells = [
                name, terms.holds, "\(terms.capacity)", terms.perAccount.map { "\($0)" } ?? "–", terms.perAddress.map { "\($0)" } ?? "–",
                terms.displaced.rawValue, terms.test.isEmpty ? "–" : "`\(terms.test)`", terms.reason.isEmpty ? "–" : terms.reason,
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return """
            # Shared pools, queues and caches

            Made from the declarations by `PoolTableTests`. A full pool takes the displaced entry from the address, and the account of that
            address, that holds the most.

            | pool | holds | in all | an account | an address | displaced | ten accounts at one address | otherwise |
            |---|---|---|---|---|---|---|---|

            """ + rows.joined(separator: "\n") + "\n"
    }

    @Test("The table is that of the declarations")
    func golden() throws {
        if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1" {
            try Self.text.write(to: Self.table, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.table, encoding: .utf8) == Self.text)
    }

    /// The Swift files below a folder, each with its path from there and its text.
    private static func files(below folder: String) throws -> [(path: String, text: String)] {
        let base = root.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path).filter { $0.hasSuffix(".swift") }
        return try paths.map { ($0, try String(contentsOf: base.appending(path: $0), encoding: .utf8)) }
    }

    @Test("Every pool, queue and cache of the service is declared, and every declared file has one")
    func complete() throws {
        let signs = [
            "GenerationalCache(", "GenerationalCache<", "SharedPool<", "Slots(", "Allowances(", "DispatchQueue(label", "OperationQueue",
            "DatabasePool", "Kept?>", "AsyncStream", "PerAccountMax",
        ]
        let modules = ["HTTPAPI", "CommandService", "Composition", "Images", "Search", "WebPages", "EventLog", "LMDB"]
        let files = try modules.flatMap { module in try Self.files(below: "Sources/" + module).map { ("\(module)/\($0.path)", $0.text) } }
        let declarations: Set = ["Limits", "RateLimits", "Pools", "ServicePools", "SearchLimits", "ImageLimits"]
        let found = files.filter { path, text in
            !declarations.contains(URL(filePath: path).deletingPathExtension().lastPathComponent) && signs.contains { text.contains($0) }
        }
        let named = Set(Self.declared.flatMap(\.terms.files))
        for (path, _) in found { #expect(named.contains(path), "no pool is declared in \(path)") }
        for path in named { #expect(files.contains { $0.0 == path }, "\(path) has no pool") }
    }

    @Test("Every pool names its test, which exists, or the reason why the loss of an entry costs work alone")
    func tested() throws {
        let tests = try Self.files(below: "Tests").filter { $0.path.hasSuffix("Tests.swift") }
        for (name, terms) in Self.declared {
            guard !terms.test.isEmpty else {
                #expect(terms.displaced == .oldest && !terms.reason.isEmpty, "\(name)")
                continue
            }
            let parts = terms.test.split(separator: ".")
            let suite = tests.first { $0.path.hasSuffix("/\(parts[0]).swift") }
            #expect(suite?.text.contains("func \(parts[1])(") == true, "\(name) names \(terms.test)")
            #expect(terms.displaced != .nobody || terms.perAccount != nil || !terms.reason.isEmpty, "\(name)")
        }
    }

    /// The pools that count accounts and addresses.
    private static let shared = declared.filter { $0.terms.perAccount != nil && $0.terms.perAddress != nil }

    @Test(
        "Ten accounts at one address that want everything close no pool for an eleventh, there or elsewhere", arguments: shared.map(\.name))
    func tenAccounts(_ name: String) throws {
        let terms = try #require(Self.shared.first { $0.name == name }).terms
        let most = try #require(terms.perAccount)
        for address in UInt128(1)...2 {
            var pool = SharedPool<Int>(terms)
            for _ in 0...most {
                for account in 0..<10 { _ = pool.add(account, of: PoolShare(account: UInt128(account), address: 1)) }
            }
            #expect(pool.add(10, of: PoolShare(account: 10, address: address)) != nil)
            for account in 0..<10 { _ = pool.add(account, of: PoolShare(account: UInt128(account), address: 1)) }
            #expect(pool.values.contains(10))
        }
    }
}
