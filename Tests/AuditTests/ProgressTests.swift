import Foundation
import Testing

@testable import Console

/// The text of a progress bar.
@Suite struct ProgressTests {
    private let line = ProgressLine(label: "import", total: 10_000, unit: "visits")

    @Test("A progress line shows the share, the rate and the time left, and at the end the time taken")
    func progressLine() {
        #expect(
            line.text(done: 2_500, elapsed: .seconds(2), isOver: false)
                == "import  [######..................]   25%  2,500/10,000 visits  1,250/s  6.0 s left")
        #expect(
            line.text(done: 10_000, elapsed: .seconds(75), isOver: true)
                == "import  [########################]  100%  10,000/10,000 visits  133/s  in 1:15")
    }

    @Test("A progress line limits the share and the time left, and shows no share without a total")
    func unusualNumbers() {
        #expect(line.text(done: 0, elapsed: .zero, isOver: false) == "import  [........................]    0%  0/10,000 visits")
        #expect(line.text(done: 20_000, elapsed: .seconds(1), isOver: false).contains("100%"))
        #expect(line.text(done: 1, elapsed: .seconds(3_700), isOver: false).contains("99:59:59 left"))
        let open = ProgressLine(label: "scan", total: 0, unit: "rows")
        #expect(open.text(done: 1_234_567, elapsed: .seconds(10), isOver: false) == "scan  1,234,567 rows  123,456/s")
    }

    /// 10,000 visits in a microsecond are not 10,000,000,000/s.
    @Test("A progress line shows no rate before 200 ms have passed")
    func unknownRate() {
        for elapsed in [Duration.zero, .microseconds(1), .milliseconds(199)] {
            let text = line.text(done: 10_000, elapsed: elapsed, isOver: false)
            #expect(!text.contains("/s") && !text.contains("left"), "\(text)")
        }
        #expect(line.text(done: 10_000, elapsed: .zero, isOver: true).hasSuffix("10,000/10,000 visits  in 0.0 s"))
        #expect(line.text(done: Int.max, elapsed: .milliseconds(200), isOver: false).contains("/s"))
    }

    @Test("A full disk and a closed stream are errors of the output, and a reader that left is not")
    func outputErrors() throws {
        var full = StandardOutput(to: try FileHandle(forWritingTo: URL(filePath: "/dev/full")))
        full.write("a line")
        let text = #expect(throws: OutputError.self) { try full.flush() }
        #expect(text?.description.contains("no room left on the disk. Free some") == true)
        let isOfUse = full.write("another")
        #expect(!isOfUse, "after a failure, writing returns false")
        #expect(throws: OutputError.self, "the failure is reported again") { try full.flush() }

        var closed = StandardOutput(to: try FileHandle(forReadingFrom: URL(filePath: "/dev/null")))
        closed.write("a line")
        let words = #expect(throws: OutputError.self) { try closed.flush() }
        #expect(words?.description.contains("it is closed") == true)

        StandardOutput.toleratesClosedPipe()
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        var left = StandardOutput(to: pipe.fileHandleForWriting)
        left.write("a line")
        try left.flush()
        let isHeard = left.write("another")
        #expect(!isHeard)
    }

    @Test("A progress bar without a terminal can be advanced, and finished twice")
    func noTerminal() {
        let bar = ProgressBar(label: "test", total: 10, unit: "rows")
        bar.advance(to: 5)
        bar.finish()
        bar.finish()
    }
}
