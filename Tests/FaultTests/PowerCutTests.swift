import Faults
import Foundation
import Seeds
import Testing

/// The power fails at random moments while a child writes. The next start must find all acknowledged events unchanged.
@Suite struct PowerCutTests {
    /// The number of power cuts for each recorded child. Each child has another seed, so that the children's batches and journals differ.
    private static let cutsPerChild = 150
    /// The number of power cuts within which each seeded bug must be found. A normal run of the tests makes ten times as many.
    private static let cutsPerBug = 60

    @Test("All acknowledged events survive every power cut")
    func everythingAcknowledgedSurvivesEveryCut() throws {
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

    /// The log also survives power cuts on a file system that guarantees only what POSIX requires. POSIX does not order changes of names.
    @Test("A log survives power cuts on a file system that keeps no order of names")
    func itSurvivesFileSystemsThatKeepNoOrderOfNames() throws {
        var random = SeededRandom.announced("itSurvivesFileSystemsThatKeepNoOrderOfNames")
        let run = try CutRun(try Recording(seed: random.next()), count: Self.cutsPerChild, seed: random.next(), names: .posix)
        #expect(run.complaints == [])
        #expect(run.whole > 0)
    }

    /// If a power cut interrupts the creation of a log, the next opening completes the creation, whatever files were left.
    @Test("A power cut at any moment of a log's creation leaves a log that opens", arguments: NameModel.allCases)
    func everyMomentOfItsCreationIsSafe(_ names: NameModel) throws {
        var random = SeededRandom.announced("everyMomentOfItsCreationIsSafe")
        let recording = try Recording(seed: random.next(), commits: 3)
        let run = try CutRun(recording, count: 4, seed: random.next(), names: names, creation: true)
        #expect(run.complaints == [])
        #expect(run.whole > 0)
    }

    /// The checks must find each seeded bug; otherwise they would prove nothing.
    @Test("Power cuts reveal each seeded bug", arguments: SeededBug.allCases.filter { $0 != .none })
    func aSeededMistakeIsFound(_ bug: SeededBug) throws {
        var random = SeededRandom.announced("aSeededMistakeIsFound \(bug)")
        let run = try CutRun(try Recording(seed: random.next(), bug: bug), count: Self.cutsPerBug, seed: random.next())
        #expect(run.complaints.count > 0, "the bug was noticed after none of \(run.whole) power cuts")
        print("\(bug): \(run.complaints.count) complaints, \(run.whole) logs whole; the first: \(run.complaints.first ?? "none")")
    }
}
