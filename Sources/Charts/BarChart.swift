/// A bar chart, such as cards by day.
public struct BarChart: Sendable, Hashable {
    /// One bar.
    public struct Bar: Sendable, Hashable {
        /// Below the bar.
        public let name: String
        /// A negative, NaN or infinite value is drawn as 0.
        public let value: Double
        /// Above the bar.
        public let note: String?

        public init(_ name: String, _ value: Double, note: String? = nil) { (self.name, self.value, self.note) = (name, value, note) }
    }

    /// With more bars, some names and all notes are left out, so that they do not overlap.
    private static let namesMax = 24

    public var labels: ChartLabels
    public var bars: [Bar]
    public var y: ValueFormat

    public init(_ labels: ChartLabels, _ bars: [Bar], y: ValueFormat = .number) { (self.labels, self.bars, self.y) = (labels, bars, y) }

    /// The SVG document, with the same bytes on every machine.
    public func svg() -> String {
        let frame = Frame(760, 360)
        let scale = Scale(.linear, for: bars.map { max(0, $0.value) }, isWhole: y == .count)
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

/// A chart of groups with one bar for each series, such as before and after a change.
public struct GroupedBarChart: Sendable, Hashable {
    /// One group.
    public struct Group: Sendable, Hashable {
        /// Below the group.
        public let name: String
        /// One for each series; NaN or infinite for no bar.
        public let values: [Double]

        public init(_ name: String, _ values: [Double]) { (self.name, self.values) = (name, values) }
    }

    private static let namesMax = 12

    public var labels: ChartLabels
    public var series: [String]
    public var groups: [Group]
    public var y: ValueFormat

    public init(_ labels: ChartLabels, series: [String], _ groups: [Group], y: ValueFormat = .number) {
        (self.labels, self.series, self.groups, self.y) = (labels, series, groups, y)
    }

    /// The SVG document, with the same bytes on every machine.
    public func svg() -> String {
        let frame = Frame(760, 360)
        let scale = Scale(.linear, for: groups.flatMap { $0.values.prefix(series.count) }, isWhole: y == .count)
        var svg = frame.begin(labels, scale, y)
        let slot = frame.width / Double(max(1, groups.count))
        let every = (groups.count + Self.namesMax - 1) / Self.namesMax
        for (number, group) in groups.enumerated() {
            draw(group, from: frame.left + slot * (Double(number) + 0.1), width: slot * 0.8, frame, scale, &svg)
            guard number % every == 0 else { continue }
            svg.words(group.name, x: frame.left + slot * (Double(number) + 0.5), y: frame.bottom + 18, anchor: "middle")
        }
        let zero = frame.y(scale.place(0))
        svg.line(x1: frame.left, y1: zero, x2: frame.right, y2: zero, stroke: ChartColors.ink)
        frame.legendAbove(series, &svg)
        return svg.finished()
    }

    private func draw(_ group: Group, from left: Double, width: Double, _ frame: Frame, _ scale: Scale, _ svg: inout SVGText) {
        let bar = width / Double(max(1, series.count))
        for (number, value) in group.values.prefix(series.count).enumerated() where value.isFinite {
            let (one, other) = (frame.y(scale.place(value)), frame.y(scale.place(0)))
            svg.rectangle(
                x: left + bar * Double(number), y: min(one, other), width: bar, height: abs(one - other), fill: ChartColors.line(number),
                says: "\(group.name), \(series[number]): \(y.text(value))")
        }
    }
}
