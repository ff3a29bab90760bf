import Foundation
import Testing

extension EndToEnd {
    /// Programs whose standard output cannot be written, or whose standard output is a pipe that its reader has closed.
    @Suite struct OutputTests {
        @Test("A command that writes to a full device fails and names the cause")
        func fullDevice() throws {
            let folder = try TemporaryFolder()
            try Till.imported(in: folder)
            let rules = folder.file("rules.json")
            try Data(#"{"goal": 4}"#.utf8).write(to: URL(filePath: rules))
            let data = ["--data", folder.data]
            let commands: [(String, [String])] = [
                ("greentea-replay", data), ("greentea-replay", data + ["--format", "jsonl"]), ("greentea-replay", data + ["--digest"]),
                ("greentea-replay", data + ["--compare"]), ("greentea-replay", ["what-if", "--rules", rules] + data),
                ("greentea-replay", ["chart", "retention"] + data), ("greentea-replay", ["snapshots", "--every", "100"] + data),
                ("greentea-replay", ["at", "--at", "100", "ratings"] + data), ("greentea-replay", ["diff", "1", "100"] + data),
                ("greentea-replay", ["export", "--to", folder.file("tables")] + data), ("greentea-rebuild", ["--json"] + data),
                ("greentea-rebuild", ["--forget-old"] + data), ("greentea", ["config", "--dev"] + data), ("greentea", ["key", "new"]),
                ("greentea", Till.arguments(try Till.file(visits: 200, in: folder), folder.data)),
            ]
            for (name, arguments) in commands {
                let program = try Program(name, arguments, in: folder, device: "/dev/full")
                #expect(try program.wait() == 2, "\(name) \(arguments): \(program.errors)")
                #expect(program.errors.contains("no room left on the disk. Free some"), "\(name) \(arguments): \(program.errors)")
            }
        }

        @Test("A closed standard output is reported, and the log's file does not change")
        func closedOutput() throws {
            let folder = try TemporaryFolder()
            try Till.imported(in: folder)
            let log = try Data(contentsOf: URL(filePath: folder.data + "/log/data.mdb"))
            let greentea = try Products.path(of: "greentea")
            for arguments in [["key", "new"], ["config", "--dev", "--data", folder.data]] {
                let closed = try Program("/bin/sh", ["-c", #"exec "$0" "$@" >&-"#, greentea] + arguments, in: folder)
                #expect(try closed.wait() == 2)
                #expect(closed.errors.contains("it is closed"), "\(closed.errors)")
            }
            let replay = try Products.path(of: "greentea-replay")
            let closed = try Program("/bin/sh", ["-c", #"exec "$0" "$@" >&-"#, replay, "--data", folder.data], in: folder)
            #expect(try closed.wait() == 2 && closed.errors.contains("it is closed"), "\(closed.errors)")
            #expect(try Data(contentsOf: URL(filePath: folder.data + "/log/data.mdb")) == log)
        }

        @Test("A reader of the output that exits early is no failure")
        func earlyExit() throws {
            let folder = try TemporaryFolder()
            try Till.imported(in: folder)
            let replay = try Products.path(of: "greentea-replay")
            let script = #"set -o pipefail 2>/dev/null; "$0" "$@" | head -n 1"#
            let piped = try Program("/bin/bash", ["-c", script, replay, "--data", folder.data], in: folder)
            #expect(try piped.wait() == 0, "\(piped.errors)")
            #expect(piped.errors.isEmpty && piped.output.hasPrefix("1 "), "\(piped.output)\(piped.errors)")
        }

        @Test("A program prints its version, and each help of `greentea` has examples and exit codes")
        func versionAndHelp() throws {
            let folder = try TemporaryFolder()
            for name in ["greentea", "greentea-replay", "greentea-rebuild", "greentea-load"] {
                #expect(try Program.run(name, "--version", in: folder).lines == ["1.0.0"], "\(name)")
            }
            let cluster = ["init", "join", "status", "promote", "handover", "reseed"].map { ["cluster", $0] }
            for help in [["config"], ["key"], ["key", "rotate"], ["key", "new"], ["import"], ["cluster"]] + cluster {
                let text = try Program("greentea", help + ["--help"], in: folder)
                #expect(try text.wait() == 0 && text.output.contains("EXAMPLES") && text.output.contains("EXIT CODES"), "\(help)")
            }
        }
    }
}
