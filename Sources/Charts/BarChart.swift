/// Bars beside each other: shares by count of stamps, cards by days.
public struct BarChart: Sendable, Hashable {
    /// One bar.
    public struct Bar: Sendable, Hashable {
        /// Under it.
        public let name: String
        /// 0 or more; less is drawn as nothing.
        public let value: Double
        /// Over it; nil for nothing.
        public let note: String?

        public init(_ name: String, _ value: Double, note: String? = nil) { (self.name, self.value, self.note) = (name, value, note) }
    }

    /// Names under bars beyond this would run into each other: then every second one is written, or every third.
    private static let namesMax = 24

    public var labels: ChartLabels
    public var bars: [Bar]
    public var y: ValueFormat

    public init(_ labels: ChartLabels, _ bars: [Bar], y: ValueFormat = .number) {
        (self.labels, self.bars, self.y) = (labels, bars, y)
    }

    /// The picture; the same bars make the same bytes on every machine.
    public func svg() -> String {
        let frame = Frame(760, 360)
        let scale = Scale(.linear, for: bars.map { max(0, $0.value) })
        var svg = frame.begin(labels, scale, y)
        let slot = frame.width / Double(max(1, bars.count))
        let every = (bars.count + Self.namesMax - 1) / Self.namesMax
        for (number, bar) in bars.enumerated() {
            let middle = frame.left + slot * (Double(number) + 0.5)
            let height = scale.place(max(0, bar.value.isFinite ? bar.value : 0)) * frame.height
            let width = min(slot * 0.8, 48)
            svg.rectangle(x: middle - width / 2, y: frame.bottom - height, width: width, height: height, fill: ChartColors.bar)
            if number % every == 0 { svg.words(bar.name, x: middle, y: frame.bottom + 18, anchor: "middle") }
            if every == 1, let note = bar.note { svg.words(note, x: middle, y: frame.bottom - height - 5, anchor: "middle", size: 10) }
        }
        svg.line(x1: frame.left, y1: frame.bottom, x2: frame.right, y2: frame.bottom, stroke: ChartColors.ink)
        return svg.finished()
    }
}
