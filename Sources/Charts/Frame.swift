/// The area in which a chart draws values, and the picture around it.
struct Frame {
    let left = 72.0
    let top = 48.0
    let width: Double
    let height: Double
    let picture: (width: Double, height: Double)

    /// Takes the size of the whole picture, and its margins.
    init(_ width: Double, _ height: Double, right: Double = 24, bottom: Double = 56) {
        picture = (width, height)
        (self.width, self.height) = (width - left - right, height - top - bottom)
    }

    var bottom: Double { top + height }
    var right: Double { left + width }

    func x(_ place: Double) -> Double { left + place * width }
    func y(_ place: Double) -> Double { bottom - place * height }

    /// Begins the picture with title, axes and grid lines.
    func begin(_ labels: ChartLabels, _ scale: Scale, _ format: ValueFormat) -> SVGText {
        var svg = SVGText(width: picture.width, height: picture.height, labels)
        svg.words(labels.title, x: left, y: 26, size: 16, bold: true)
        for tick in scale.ticks {
            let y = y(scale.place(tick))
            svg.line(x1: left, y1: y, x2: right, y2: y, stroke: ChartColors.grid)
            svg.words(format.text(tick), x: left - 8, y: y + 4, anchor: "end")
        }
        svg.words(labels.x, x: left + width / 2, y: picture.height - 12, anchor: "middle")
        svg.words(labels.y, x: 16, y: top + height / 2, anchor: "middle", turned: true)
        return svg
    }

    /// Draws the series' names in their colours; nothing for a single series.
    func legend(_ names: [String], _ svg: inout SVGText) {
        guard names.count > 1 else { return }
        for (number, name) in names.enumerated() {
            let y = top + 6 + 18 * Double(number)
            svg.rectangle(x: right - 14, y: y - 9, width: 10, height: 10, fill: ChartColors.line(number))
            svg.words(name, x: right - 20, y: y, anchor: "end")
        }
    }

    /// Draws a few short names in a row above the area, so that they cover no bar. Widths are estimates, because no font is known.
    func legendAbove(_ names: [String], _ svg: inout SVGText) {
        guard names.count > 1 else { return }
        var x = left
        for (number, name) in names.enumerated() {
            svg.rectangle(x: x, y: top - 15, width: 10, height: 10, fill: ChartColors.line(number))
            svg.words(name, x: x + 16, y: top - 6)
            x += 36 + Self.width(of: name)
        }
    }

    /// Estimated: Chinese and other wide characters are as wide as high.
    private static func width(of text: String) -> Double { text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x2E80 ? 7 : 12) } }
}

/// The texts of a chart.
public struct ChartLabels: Sendable, Hashable {
    /// Also the accessible name.
    public var title: String
    /// For screen readers, a sentence or two.
    public var description: String
    public var x: String
    public var y: String

    public init(title: String, description: String, x: String, y: String) {
        (self.title, self.description, self.x, self.y) = (title, description, x, y)
    }
}

/// The form of values at an axis.
public enum ValueFormat: Sendable, Hashable {
    /// Large numbers are abbreviated.
    case number
    /// Whole numbers only.
    case count
    /// 0.25 is written as 25 %.
    case percent

    func text(_ value: Double) -> String {
        switch self {
        case .number, .count: ChartNumber.short(value)
        case .percent: ChartNumber.text(value * 100, decimals: 1) + " %"
        }
    }
}

/// The colours of all charts: those of light pages as attributes, which every program understands, and of dark pages in ``darkStyle``.
/// Ground, ink and grid match `--surface`, `--ink` and `--line`. No hue matters: lines have names, and heat maps vary in lightness.
enum ChartColors {
    static let ground = "#fffefa"
    static let ink = "#1c2620"
    static let grid = "#dcd7c8"
    static let bar = "#3f8f5f"
    static let lines = ["#2f7d4f", "#b5562a", "#33629c", "#8a5a9e", "#7a7a2e", "#3a8c95"]
    /// From low to high values.
    static let steps = ["#e3f1e6", "#bfe0c7", "#8cc79b", "#54a56c", "#2b7d48", "#0f4f2a"]

    static func line(_ number: Int) -> String { lines[number % lines.count] }

    /// Light and dark counterparts. On dark pages, a heat map becomes lighter with the value.
    private static let dark: [(String, String)] =
        [(ground, "#19221d"), (ink, "#e8eee9"), (grid, "#2d3a33"), (bar, "#6fc08e")]
        + zip(lines, ["#7cc99a", "#f0a583", "#8fb8f0", "#cfa0e0", "#cfcf7a", "#82d3dc"])
        + zip(steps, ["#1f3a2a", "#27523a", "#2f6f4c", "#439465", "#6cbd8a", "#b4ecc8"])

    static let darkStyle: String = {
        let rules = dark.map { light, dark in #"[fill="\#(light)"]{fill:\#(dark)}[stroke="\#(light)"]{stroke:\#(dark)}"# }
        return "@media (prefers-color-scheme:dark){" + rules.joined() + "}"
    }()
}
