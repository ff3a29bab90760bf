/// Lines through points, such as a weekly curve. The same chart gives the same bytes on every machine.
public struct LineChart: Sendable, Hashable {
    /// A point of a line.
    public struct Point: Sendable, Hashable {
        public let x: Double
        public let y: Double

        public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    }

    /// One line.
    public struct Series: Sendable, Hashable {
        public let name: String
        /// In the order in which they are connected.
        public let points: [Point]

        public init(_ name: String, _ points: [Point]) { (self.name, self.points) = (name, points) }
    }

    public var labels: ChartLabels
    public var series: [Series]
    public var x: Scale.Kind
    public var y: ValueFormat

    public init(_ labels: ChartLabels, _ series: [Series], x: Scale.Kind = .linear, y: ValueFormat = .number) {
        (self.labels, self.series, self.x, self.y) = (labels, series, x, y)
    }

    /// The SVG document. Points with NaN or infinite numbers are omitted.
    public func svg() -> String {
        let lines = series.map { $0.points.filter { $0.x.isFinite && $0.y.isFinite } }
        let frame = Frame(760, 380)
        let across = Scale(x, for: lines.flatMap { $0.map(\.x) })
        let upwards = Scale(.linear, for: lines.flatMap { $0.map(\.y) }, isWhole: y == .count)
        var svg = frame.begin(labels, upwards, y)
        for tick in across.ticks {
            let place = frame.x(across.place(tick))
            svg.line(x1: place, y1: frame.bottom, x2: place, y2: frame.bottom + 5, stroke: ChartColors.ink)
            svg.words(ChartNumber.short(tick), x: place, y: frame.bottom + 20, anchor: "middle")
        }
        svg.line(x1: frame.left, y1: frame.bottom, x2: frame.right, y2: frame.bottom, stroke: ChartColors.ink)
        for (number, points) in lines.enumerated() {
            draw(points.map { (frame.x(across.place($0.x)), frame.y(upwards.place($0.y))) }, number, &svg)
        }
        frame.legend(series.map(\.name), &svg)
        return svg.finished()
    }

    private func draw(_ places: [(Double, Double)], _ number: Int, _ svg: inout SVGText) {
        let color = ChartColors.line(number)
        let data = places.enumerated().map { place in
            (place.offset == 0 ? "M" : "L") + ChartNumber.text(place.element.0) + " " + ChartNumber.text(place.element.1)
        }
        if data.count > 1 { svg.path(data.joined(), attributes: #"fill="none" stroke="\#(color)" stroke-width="2""#) }
        for (x, y) in places { svg.circle(x: x, y: y, radius: 2.5, fill: color) }
    }
}
