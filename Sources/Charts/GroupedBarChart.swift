/// Groups of bars, one bar of each series: the same thing before and after, month by month.
public struct GroupedBarChart: Sendable, Hashable {
    /// One group.
    public struct Group: Sendable, Hashable {
        /// Under it.
        public let name: String
        /// One for each series; what is no number is drawn as nothing.
        public let values: [Double]

        public init(_ name: String, _ values: [Double]) { (self.name, self.values) = (name, values) }
    }

    private static let namesMax = 12

    public var labels: ChartLabels
    /// Names of the series.
    public var series: [String]
    public var groups: [Group]
    public var y: ValueFormat

    public init(_ labels: ChartLabels, series: [String], _ groups: [Group], y: ValueFormat = .number) {
        (self.labels, self.series, self.groups, self.y) = (labels, series, groups, y)
    }

    /// The picture; the same groups make the same bytes on every machine.
    public func svg() -> String {
        let frame = Frame(760, 360)
        let scale = Scale(.linear, for: groups.flatMap { $0.values.prefix(series.count) })
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
        frame.legend(series, &svg)
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
