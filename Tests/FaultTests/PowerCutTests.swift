import Faults
import Foundation
import Seeds
import Testing

/// The power fails at random moments of a child's life: whatever it had acknowledged is there at the next start, and nothing else.
@Suite struct PowerCutTests {
    /// Cuts for each recorded child: its journal is another one each time, and so are its batches.
    private static let cutsPerChild = 150
    /// Cuts in which each seeded mistake has to be found: a fraction of what a run of the tests makes.
    private static let cutsPerBug = 60

    @Test func everythingAcknowledgedSurvivesEveryCut() throws {
        var random = SeededRandom.announced("everythingAcknowledgedSurvivesEveryCut")
        let began = Date()
        var left = Effort.powerCuts
        while left > 0 {
            let count = min(left, Self.cutsPerChild), seed = random.next()
            let run = try CutRun(try Recording(seed: seed), count: count, seed: random.next())
            #expect(run.complaints == [], "child seed \(seed)")
            #expect(run.whole == count)
            left -= count
        }
        print("\(Effort.powerCuts) power cuts in \(Int(Date().timeIntervalSince(began))) s")
    }

    /// Nothing the log does needs more of a file system than POSIX promises.
    @Test func itSurvivesFileSystemsThatKeepNoOrderOfNames() throws {
        var random = SeededRandom.announced("itSurvivesFileSystemsThatKeepNoOrderOfNames")
        let run = try CutRun(try Recording(seed: random.next()), count: Self.cutsPerChild, seed: random.next(), names: .posix)
        #expect(run.complaints == [])
        #expect(run.whole > 0)
    }

    /// A creation that was cut short is begun again at the next opening, whatever it has left.
    @Test(arguments: NameModel.allCases) func everyMomentOfItsCreationIsSafe(_ names: NameModel) throws {
        var random = SeededRandom.announced("everyMomentOfItsCreationIsSafe")
        let recording = try Recording(seed: random.next(), commits: 3)
        let run = try CutRun(recording, count: 4, seed: random.next(), names: names, creation: true)
        #expect(run.complaints == [])
        #expect(run.whole > 0)
    }

    /// The harness is worth something only if it goes red: here it must.
    @Test(arguments: SeededBug.allCases.filter { $0 != .none }) func aSeededMistakeIsFound(_ bug: SeededBug) throws {
        var random = SeededRandom.announced("aSeededMistakeIsFound \(bug)")
        let run = try CutRun(try Recording(seed: random.next(), bug: bug), count: Self.cutsPerBug, seed: random.next())
        #expect(run.complaints.count > 0, "\(run.whole) cuts, and none was noticed")
        print("\(bug): \(run.complaints.count) complaints, \(run.whole) logs whole; the first: \(run.complaints.first ?? "none")")
    }
}
