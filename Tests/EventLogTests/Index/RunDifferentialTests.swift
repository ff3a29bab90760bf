import Seeds
import Testing

@testable import EventLog

/// Compares the answers of runs with full scans of an array, also between any two steps of a merge. To simulate crashes, copies of the
/// files are opened between the steps and compared as well.
@Suite(.temporaryFolder) struct RunDifferentialTests {
    @Test("Each answer is that of a full scan while runs are merged", arguments: [2, 3, 5])
    func everyAnswerIsThatOfAFullScanWhileRunsAreMerged(_ factor: Int) throws {
        let generator = SeededRandom.announced("everyAnswerIsThatOfAFullScanWhileRunsAreMerged(\(factor))"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let runs = try StoredRuns(factor: factor)
        for _ in 0..<60 {
            try runs.flush(history.events(history.generator.int(1...30)))
            try runs.expectAnswers(&history, seed)
            for _ in 0..<history.generator.int(0...6) {
                _ = try runs.step()
                try runs.expectAnswers(&history, seed)
            }
        }
        try runs.settle()
        try runs.expectAnswers(&history, seed)
        try runs.expectTidy(factor: factor)
    }

    @Test("A crash at any step of a merge leaves an exact index that removes surplus files")
    func aCrashAtAnyStepLeavesAnExactIndexThatTidiesItselfUp() throws {
        let generator = SeededRandom.announced("aCrashAtAnyStepLeavesAnExactIndexThatTidiesItselfUp"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let runs = try StoredRuns(factor: 2)
        for _ in 0..<12 {
            try runs.flush(history.events(history.generator.int(1...400)))
            var isBusy = true
            while isBusy {
                let crashed = try runs.afterACrash()
                try crashed.expectAnswers(&history, seed)
                try crashed.settle()
                try crashed.expectTidy(factor: 2)
                try crashed.expectAnswers(&history, seed)
                isBusy = try runs.step()
            }
        }
        try runs.expectTidy(factor: 2)
    }

    /// Merges of several megabytes take several steps. Crashes in between leave files that no manifest names.
    @Test("Files of an interrupted merge are removed")
    func whatAnInterruptedMergeHasWrittenIsClearedAway() throws {
        let runs = try StoredRuns(factor: 2)
        for number in 0..<4 {
            let first = UInt64(number * 15_000 + 1)
            var part = MemoryPart(first: first)
            for position in first..<first + 15_000 {
                try part.insert([card(UInt128(position)), shop(UInt128(position % 3))], at: position)
            }
            try runs.flush(part)
        }
        var interrupted = 0
        while try runs.step() {
            if try runs.files().count > runs.keeper.runs.count { interrupted += 1 }
            let crashed = try runs.afterACrash()
            #expect(try crashed.files().count == crashed.keeper.runs.count)
            for position: UInt64 in [1, 14_999, 15_000, 15_001, 44_444, 60_000] {
                #expect(try crashed.store.newest(of: card(UInt128(position)), type: .stamped, through: .max - 1) == position)
            }
            try crashed.settle()
            try crashed.expectTidy(factor: 2)
            #expect(try crashed.store.count(of: shop(1), types: [], enough: .max) == 20_000)
        }
        #expect(interrupted > 0)
        try runs.expectTidy(factor: 2)
    }
}
