import Faults
import Glibc

/// Cuts the power of a recorded child at many moments. The number of each power cut is printed before its image is checked. So if an image
/// kills this process, the parent knows which one it was and resumes after it.
struct CutsCommand {
    private let arguments: Arguments
    private let journal: Journal
    private var cuts: PowerCuts

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        journal = try Journal(path: arguments.text("journal"))
        let expected = try ExpectedLog(seed: arguments.seed("seed"), commits: arguments.int("commits"))
        cuts = PowerCuts(journal, expected, names: try arguments.names(), bug: try arguments.bug())
    }

    /// Prints one line for each power cut: its number, `whole` or `broken`, its position and seed, and the finding.
    func run() throws -> Int32 {
        var cuts = cuts
        let (part, parts) = (try arguments.int("part", default: 0), try arguments.int("of", default: 1))
        let all = try cutList()
        for number in try arguments.int("from", default: 0)..<all.count where number % parts == part {
            print(number, terminator: " ")
            fflush(nil)
            print(try line(for: all[number], &cuts))
        }
        print("done")
        return 0
    }

    func runOne() throws -> Int32 {
        var cuts = cuts
        let text = try line(for: Cut(records: arguments.int("at"), seed: arguments.seed("image-seed")), &cuts)
        print(text)
        return text.hasPrefix("broken") ? 1 : 0
    }

    private func cutList() throws -> [Cut] {
        let (count, seed) = (try arguments.int("count"), try arguments.seed("cut-seed"))
        return try arguments.int("creation", default: 0) == 1
            ? Cut.creation(count, of: journal, seed: seed) : Cut.random(count, of: journal, seed: seed)
    }

    private func line(for cut: Cut, _ cuts: inout PowerCuts) throws -> String {
        let place = "at=\(cut.records) image-seed=\(cut.seed)"
        switch try cuts.outcome(of: cut, in: arguments.text("folder")) {
        case .whole(let head): return "whole \(place) \(head)"
        case .broken(let text): return "broken \(place) \(text)"
        }
    }
}
