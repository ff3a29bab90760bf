/// Rows of cells, darker for greater values (lighter on dark pages), such as returning customers by week.
public struct HeatMap: Sendable, Hashable {
    /// One row.
    public struct Row: Sendable, Hashable {
        public let name: String
        /// Values between 0 and 1. Rows may have different lengths.
        public let values: [Double]

        public init(_ name: String, _ values: [Double]) { (self.name, self.values) = (name, values) }
    }

    /// The least values of the second and further colours. Steps instead of a gradient let a reader tell a cell's range.
    static let thresholds = [0.025, 0.05, 0.1, 0.2, 0.4]
    private static let widthMax = 660.0
    private static let cellMax = 22.0
    private static let labelHeight = 12.0

    public var labels: ChartLabels
    public var rows: [Row]

    public init(_ labels: ChartLabels, _ rows: [Row]) { (self.labels, self.rows) = (labels, rows) }

    private var columns: Int { max(1, rows.map(\.values.count).max() ?? 1) }
    private var cell: Double { min(Self.cellMax, (Self.widthMax / Double(columns)).rounded(.down)) }
    /// Rows lower than text are not all named.
    private var every: Int { Int((Self.labelHeight / cell).rounded(.up)) }

    /// The SVG document, with the same bytes on every machine.
    public func svg() -> String {
        let (left, top) = (124.0, 64.0)
        let (width, height) = (cell * Double(columns), cell * Double(rows.count))
        var svg = SVGText(width: max(560, left + width + 24), height: top + height + 72, labels)
        svg.words(labels.title, x: 24, y: 26, size: 16, bold: true)
        svg.words(labels.y, x: left - 8, y: top - 10, anchor: "end")
        for column in stride(from: 0, to: columns, by: max(1, Int((28 / cell).rounded(.up)))) {
            svg.words(String(column), x: left + (Double(column) + 0.5) * cell, y: top - 10, anchor: "middle")
        }
        svg.words(labels.x, x: left, y: top + height + 20)
        for (number, row) in rows.enumerated() where number % every == 0 {
            svg.words(row.name, x: left - 8, y: top + (Double(number) + 0.5) * cell + 4, anchor: "end", size: 11)
        }
        for step in ChartColors.steps.indices { draw(step, left, top, &svg) }
        for (number, row) in rows.enumerated() {
            let y = top + Double(number + 1) * cell - 0.5
            svg.line(x1: left, y1: y, x2: left + Double(row.values.count) * cell, y2: y, stroke: ChartColors.grid)
        }
        legend(left, top + height + 40, &svg)
        return svg.finished()
    }

    /// One path for all cells of a colour, because a year of weeks has thousands.
    private func draw(_ step: Int, _ left: Double, _ top: Double, _ svg: inout SVGText) {
        let side = ChartNumber.text(cell - 1)
        var data = ""
        for (number, row) in rows.enumerated() {
            for (column, value) in row.values.enumerated() where Self.step(of: value) == step {
                let (x, y) = (left + Double(column) * cell, top + Double(number) * cell)
                data += "M\(ChartNumber.text(x)) \(ChartNumber.text(y))h\(side)v\(side)h-\(side)z"
            }
        }
        if !data.isEmpty { svg.path(data, attributes: #"fill="\#(ChartColors.steps[step])""#) }
    }

    /// An index in ``ChartColors/steps``; nil for 0 and less.
    static func step(of value: Double) -> Int? { value > 0 ? thresholds.count { value >= $0 } : nil }

    private func legend(_ left: Double, _ y: Double, _ svg: inout SVGText) {
        for (step, color) in ChartColors.steps.enumerated() {
            let x = left + 64 * Double(step)
            svg.rectangle(x: x, y: y, width: 14, height: 14, fill: color)
            let words = step == 0 ? "> 0 %" : "≥ " + ValueFormat.percent.text(Self.thresholds[step - 1])
            svg.words(words, x: x + 18, y: y + 11, size: 10)
        }
    }
}
