/// A test that waits for what may not come fails within its time.
///
/// A suite's time limit only cancels the task. It ends no wait for another task, a process, a thread, a loop or a semaphore:
/// `Tests/Patience` has such waits with a deadline.
struct EndlessWaits: Rule {
    let name = "endless-wait"

    /// More minutes than `eventually` waits, and few beside a run of all tests.
    private static let minutesMax = 15
    /// Programs of this folder link no tests.
    private static let exempt = ["Tests/Patience/", "Tests/Faults/"]

    let good: KeyValuePairs = [
        "Tests/ATests/A.swift": "@Suite(.timeLimit(.minutes(15))) struct A {\n    @Test func a() async { await b() }\n}\n",
        "Tests/ATests/B.swift": "@Suite struct B {\n    @Test func a() { b() }\n}\n",
        "Tests/ATests/C.swift": "try process.runInTime()\nprocess.waitUntilExit()\n",
        "Tests/ATests/D.swift": "let a = try await task.valueInTime()\nlet b = values.value\n",
        "Sources/A/A.swift": "let a = await task.value\ngroup.wait()\n",
        "Tests/ATests/E.swift": "while !Task.isCancelled {\n    a()\n    await Task.yield()\n}\n",
        "Tests/ATests/F.swift": "while a {\n    for _ in b {\n        await Task.yield()\n    }\n}\n",
        "Tests/ATests/G.swift": "while a, ContinuousClock.now < deadline { sched_yield() }\n",
        "Tests/ATests/H.swift": "try group.waitInTime(\"a\")\n_ = try? program.wait()\n",
    ]
    let bad: KeyValuePairs = [
        "Tests/ATests/A.swift": "@Suite struct A {\n    @Test func a() async { await b() }\n}\n",
        "Tests/ATests/B.swift": "@Suite(\"B\", .timeLimit(.minutes(40)))\nstruct B {\n    @Test func a() async { await b() }\n}\n",
        "Tests/ATests/C.swift": "try process.run()\nprocess.waitUntilExit()\n",
        "Tests/ATests/D.swift": "let a = try await task.value\n",
        "Tests/ATests/E.swift": "let a = await !first(1).value.isEmpty\n",
        "Tests/ATests/F.swift": "while !a { await Task.yield() }\n",
        "Tests/ATests/G.swift": "while true {\n    if a { break }\n\n    sched_yield()\n}\n",
        "Tests/ATests/H.swift": "repeat {\n    await Task.yield()\n} while !a\n",
        "Tests/ATests/I.swift": "for _ in 0..<2 { semaphore.wait() }\n",
        "Tests/ATests/J.swift": "group.wait(timeout: .distantFuture)\n",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, file.path.hasPrefix("Tests/"), !Self.exempt.contains(where: file.path.hasPrefix) else { return [] }
        return limits(in: file) + processes(in: file) + tasks(in: file) + loops(in: file) + threads(in: file)
    }

    private func limits(in file: SourceFile) -> [Finding] {
        let isAwaiting = file.code.contains { $0.contains("await ") } && file.code.contains { $0.contains("@Test") }
        return findings(in: file.code, of: file) { line in
            // A regular expression is slow, so only lines that may match are searched. The same holds below.
            let limit = line.contains(".timeLimit(") ? line.firstMatch(of: #/\.timeLimit\(\.minutes\(([0-9]+)\)\)/#) : nil
            let minutes = limit.flatMap { Int($0.1) }
            let isLimited = minutes.map { $0 <= Self.minutesMax } ?? !(isAwaiting && line.contains("@Suite"))
            return isLimited ? nil : "give a suite that awaits .timeLimit(.minutes(\(Self.minutesMax)))"
        }
    }

    private func processes(in file: SourceFile) -> [Finding] {
        if file.code.contains(where: { $0.contains(".runInTime()") }) { return [] }
        return findings(of: [".waitUntilExit()"], in: file) { _ in "start the process with runInTime(), which ends it at last" }
    }

    private func tasks(in file: SourceFile) -> [Finding] {
        findings(in: file.code, of: file) { line in
            guard line.contains(".value"), line.contains(#/await !?[\w.]+(\([^()]*\))?\??\.value(?!\w)/#) else { return nil }
            return "await valueInTime(): a time limit does not cancel another task"
        }
    }

    private func loops(in file: SourceFile) -> [Finding] {
        file.code.indices.compactMap { index in
            guard let loop = loop(at: index, in: file.code), !["Cancel", "deadline"].contains(where: loop.contains) else { return nil }
            return finding(file, line: index + 1, "wait with eventually(): this loop does not end if its condition never holds")
        }
    }

    /// The loop that this line may let run until something else happens.
    private func loop(at index: Int, in code: [String]) -> String? {
        let line = code[index]
        guard line.contains("Task.yield()") || line.contains("sched_yield()") else { return nil }
        if line.contains(#/\b(while|repeat)\b/#) { return line }
        if line.contains(#/\bfor\b/#) { return nil }
        guard let first = code[..<index].lastIndex(where: { !$0.isEmpty && $0.indent < line.indent }) else { return nil }
        guard code[first].contains(#/^ *(\w+: )?(while|repeat)\b/#) else { return nil }
        return code[first...index].joined(separator: "\n")
    }

    private func threads(in file: SourceFile) -> [Finding] {
        findings(in: file.code, of: file) { line in
            // No wait of a semaphore or a group throws or suspends, as the wait for a program does.
            let isBare = line.contains(".wait()") && !line.contains(#/\b(try[?!]?|await) [^{;]*\.wait\(\)/#)
            guard isBare || line.contains(".wait(timeout: .distantFuture)") else { return nil }
            return "wait with waitInTime(), or with a time-out of patienceSeconds"
        }
    }
}
