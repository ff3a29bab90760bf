import Testing

@testable import TerminalProgress

/// What a progress bar says.
@Suite struct ProgressTests {
    private let line = ProgressLine(label: "import", total: 10_000, unit: "visits")

    @Test func saysShareRateAndTimeLeft() {
        #expect(
            line.text(done: 2_500, elapsed: .seconds(2), isOver: false)
                == "import  [######..................]   25%  2,500/10,000 visits  1,250/s  6.0 s left")
        #expect(
            line.text(done: 10_000, elapsed: .seconds(75), isOver: true)
                == "import  [########################]  100%  10,000/10,000 visits  133/s  in 1:15")
    }

    @Test func bearsStrangeNumbers() {
        #expect(line.text(done: 0, elapsed: .zero, isOver: false) == "import  [........................]    0%  0/10,000 visits  0/s")
        #expect(line.text(done: 20_000, elapsed: .seconds(1), isOver: false).contains("100%"))
        #expect(line.text(done: 1, elapsed: .seconds(3_700), isOver: false).contains("99:59:59 left"))
        let open = ProgressLine(label: "scan", total: 0, unit: "rows")
        #expect(open.text(done: 1_234_567, elapsed: .seconds(10), isOver: false) == "scan  1,234,567 rows  123,456/s")
    }

    @Test func isSilentWithoutATerminal() {
        let bar = ProgressBar(label: "test", total: 10, unit: "rows")
        bar.advance(to: 5)
        bar.finish()
        bar.finish()
    }
}
