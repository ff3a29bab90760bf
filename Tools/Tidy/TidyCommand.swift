import Foundation

/// `greentea-tidy`: checks the repository against its own rules.
@main
struct TidyCommand {
    private static let rules: [any Rule] = [
        LayerImports(), UnsafeCode(), TimeAndChance(), WallClock(), EndlessWaits(), Shortcuts(), MachinePaths(), Lengths(), DocComments(),
    ]

    private static let help = """
        greentea-tidy: the repository's own linter

        Usage: greentea-tidy [--root DIR] [--self-test | --layers] [--help]

          --root DIR    the repository (default: the current folder)
          --self-test   run every rule on samples that it must refuse and samples that it must let pass
          --layers      print the diagram of the layers for Sources/README.md, made from Package.swift

        Prints `path:line: rule: what to do`. Exits 0 when there is nothing to do, 1 with findings, 2 when it cannot run.
        Rules: \(rules.map(\.name).joined(separator: ", ")).
        """

    static func main() { exit(run(Array(CommandLine.arguments.dropFirst()))) }

    private static func run(_ arguments: [String]) -> Int32 {
        let isElsewhere = arguments.count > 1 && arguments[0] == "--root"
        let root = isElsewhere ? arguments[1] : "."
        switch isElsewhere ? Array(arguments.dropFirst(2)) : arguments {
        case ["--help"], ["-h"]:
            print(help)
            return 0
        case ["--self-test"]: return selfTest()
        case []: return check(root) { lint($0) }
        case ["--layers"]:
            return check(root) { files in
                for file in files where file.path == "Package.swift" { print(LayerTable(manifest: file).diagram) }
                return 0
            }
        default:
            complain("unknown arguments: \(arguments.joined(separator: " ")); see greentea-tidy --help")
            return 2
        }
    }

    private static func check(_ root: String, _ work: ([SourceFile]) -> Int32) -> Int32 {
        do {
            let files = try Repository(root: root).files()
            if files.contains(where: { $0.path == "Package.swift" }) { return work(files) }
            complain("no Package.swift in \(root): name the repository with --root")
        } catch {
            complain("cannot read \(root): \(error.localizedDescription)")
        }
        return 2
    }

    private static func lint(_ files: [SourceFile]) -> Int32 {
        let findings = rules.flatMap { $0.findings(in: files) }.sorted { ($0.path, $0.line) < ($1.path, $1.line) }
        for finding in findings { print(finding) }
        complain("tidy: \(files.count) files, \(rules.count) rules, \(findings.isEmpty ? "nothing" : "\(findings.count) things") to do")
        return findings.isEmpty ? 0 : 1
    }

    private static func selfTest() -> Int32 {
        let failures = rules.flatMap { $0.failures() } + CodeMaskSamples.failures()
        for failure in failures { print(failure) }
        let samples = rules.reduce(0) { $0 + $1.good.count + $1.bad.count }
        complain(failures.isEmpty ? "tidy: \(rules.count) rules hold on \(samples) samples" : "tidy: \(failures.count) samples fail")
        return failures.isEmpty ? 0 : 1
    }

    private static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
