/// A test that waits for what may not come fails within its time.
///
/// A suite that awaits anything has a time limit. The limit cancels the test's task, so it does not end a wait for another task, a process
/// or a thread: those have waits with a deadline in `Tests/Patience`.
struct EndlessWaits: Rule {
    let name = "endless-wait"

    /// More minutes than `eventually` waits, and few beside a run of all tests.
    private static let minutesMax = 15
    /// Programs of this folder link no tests.
    private static let exempt = ["Tests/Patience/", "Tests/Faults/"]

    let good = [
        SourceFile(
            path: "Tests/ATests/A.swift", text: "@Suite(.timeLimit(.minutes(15))) struct A {\n    @Test func a() async { await b() }\n}\n"),
        SourceFile(path: "Tests/ATests/B.swift", text: "@Suite struct B {\n    @Test func a() { b() }\n}\n"),
        SourceFile(path: "Tests/ATests/C.swift", text: "try process.runInTime()\nprocess.waitUntilExit()\n"),
        SourceFile(path: "Tests/ATests/D.swift", text: "let a = try await task.valueInTime()\nlet b = values.value\n"),
        SourceFile(path: "Sources/A/A.swift", text: "let a = await task.value\n"),
    ]
    let bad = [
        SourceFile(path: "Tests/ATests/A.swift", text: "@Suite struct A {\n    @Test func a() async { await b() }\n}\n"),
        SourceFile(
            path: "Tests/ATests/B.swift",
            text: "@Suite(\"B\", .timeLimit(.minutes(40)))\nstruct B {\n    @Test func a() async { await b() }\n}\n"),
        SourceFile(path: "Tests/ATests/C.swift", text: "try process.run()\nprocess.waitUntilExit()\n"),
        SourceFile(path: "Tests/ATests/D.swift", text: "let a = try await task.value\n"),
        SourceFile(path: "Tests/ATests/E.swift", text: "let a = await !first(1).value.isEmpty\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, file.path.hasPrefix("Tests/"), !Self.exempt.contains(where: file.path.hasPrefix) else { return [] }
        return limits(in: file) + processes(in: file) + tasks(in: file)
    }

    private func limits(in file: SourceFile) -> [Finding] {
        let isAwaiting = file.code.contains { $0.contains("await ") } && file.code.contains { $0.contains("@Test") }
        return file.code.enumerated().compactMap { index, line in
            let minutes = line.firstMatch(of: #/\.timeLimit\(\.minutes\(([0-9]+)\)\)/#).flatMap { Int($0.1) }
            let isLimited = minutes.map { $0 <= Self.minutesMax } ?? !(isAwaiting && line.contains("@Suite"))
            return isLimited ? nil : finding(file, line: index + 1, "give a suite that awaits .timeLimit(.minutes(\(Self.minutesMax)))")
        }
    }

    private func processes(in file: SourceFile) -> [Finding] {
        if file.code.contains(where: { $0.contains(".runInTime()") }) { return [] }
        return findings(of: [".waitUntilExit()"], in: file) { _ in "start the process with runInTime(), which ends it at last" }
    }

    private func tasks(in file: SourceFile) -> [Finding] {
        file.code.enumerated().compactMap { index, line in
            guard line.firstMatch(of: #/await !?[\w.]+(\([^()]*\))?\??\.value(?!\w)/#) != nil else { return nil }
            return finding(file, line: index + 1, "await valueInTime(): a time limit does not cancel another task")
        }
    }
}
