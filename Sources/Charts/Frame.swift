/// The area of a chart in which values are drawn, and the picture around it.
struct Frame {
    let left = 72.0
    let top = 48.0
    let width: Double
    let height: Double
    let picture: (width: Double, height: Double)

    /// Computes the area. The parameters are the width and height of the whole picture, and the margins at its right and at its bottom.
    init(_ width: Double, _ height: Double, right: Double = 24, bottom: Double = 56) {
        picture = (width, height)
        (self.width, self.height) = (width - left - right, height - top - bottom)
    }

    var bottom: Double { top + height }
    var right: Double { left + width }

    func x(_ place: Double) -> Double { left + place * width }
    func y(_ place: Double) -> Double { bottom - place * height }

    /// Begins the picture with its title, the texts of the axes, and the numbers and grid lines of the vertical axis.
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

    /// Draws the names of several series with their colours. Draws nothing for a single series, which needs no name besides the title.
    func legend(_ names: [String], _ svg: inout SVGText) {
        guard names.count > 1 else { return }
        for (number, name) in names.enumerated() {
            let y = top + 6 + 18 * Double(number)
            svg.rectangle(x: right - 14, y: y - 9, width: 10, height: 10, fill: ChartColors.line(number))
            svg.words(name, x: right - 20, y: y, anchor: "end")
        }
    }

    /// Draws the names of several series with their colours in a row above the area, so that they cover no bar. The row suits a few short
    /// names. The widths of texts are estimates, because a picture is drawn without a font.
    func legendAbove(_ names: [String], _ svg: inout SVGText) {
        guard names.count > 1 else { return }
        var x = left
        for (number, name) in names.enumerated() {
            svg.rectangle(x: x, y: top - 15, width: 10, height: 10, fill: ChartColors.line(number))
            svg.words(name, x: x + 16, y: top - 6)
            x += 36 + Self.width(of: name)
        }
    }

    /// The estimated width of a text of the usual size. Chinese characters and other wide ones are as wide as they are high.
    private static func width(of text: String) -> Double {
        text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x2E80 ? 7 : 12) }
    }
}

/// The texts of a chart.
public struct ChartLabels: Sendable, Hashable {
    /// The heading, which is also the accessible name.
    public var title: String
    /// The description for screen readers, in a sentence or two.
    public var description: String
    /// The text below the horizontal axis.
    public var x: String
    /// The text beside the vertical axis.
    public var y: String

    public init(title: String, description: String, x: String, y: String) {
        (self.title, self.description, self.x, self.y) = (title, description, x, y)
    }
}

/// The form in which values are written at an axis.
public enum ValueFormat: Sendable, Hashable {
    /// Plain numbers; large ones are abbreviated.
    case number
    /// Numbers of counted things, written like plain numbers. The axis has whole numbers only.
    case count
    /// Percentages: 0.25 is written as 25 %.
    case percent

    func text(_ value: Double) -> String {
        switch self {
        case .number, .count: ChartNumber.short(value)
        case .percent: ChartNumber.text(value * 100, decimals: 1) + " %"
        }
    }
}

/// The colours of all charts. No reader has to tell hues apart: lines also have names, and the steps of a heat map differ in lightness.
///
/// The colours of ground, ink and grid are those of the tokens `--surface`, `--ink` and `--line` of the pages' style sheet. The attributes
/// of elements have the colours of light pages, which every program understands. ``darkStyle`` has the colours of dark pages, which
/// browsers apply.
enum ChartColors {
    static let ground = "#fffefa"
    static let ink = "#1c2620"
    static let grid = "#dcd7c8"
    static let bar = "#3f8f5f"
    /// The colours of lines, in order.
    static let lines = ["#2f7d4f", "#b5562a", "#33629c", "#8a5a9e", "#7a7a2e", "#3a8c95"]
    /// The colours of a heat map, from low to high values.
    static let steps = ["#e3f1e6", "#bfe0c7", "#8cc79b", "#54a56c", "#2b7d48", "#0f4f2a"]

    static func line(_ number: Int) -> String { lines[number % lines.count] }

    /// Pairs of a colour on light pages and its counterpart on dark pages. On dark pages, the steps of a heat map become lighter with the
    /// value, so that high values stand out.
    private static let dark: [(String, String)] =
        [(ground, "#19221d"), (ink, "#e8eee9"), (grid, "#2d3a33"), (bar, "#6fc08e")]
        + zip(lines, ["#7cc99a", "#f0a583", "#8fb8f0", "#cfa0e0", "#cfcf7a", "#82d3dc"])
        + zip(steps, ["#1f3a2a", "#27523a", "#2f6f4c", "#439465", "#6cbd8a", "#b4ecc8"])

    /// A style sheet with the colours for readers who prefer dark pages.
    static let darkStyle: String = {
        let rules = dark.map { light, dark in #"[fill="\#(light)"]{fill:\#(dark)}[stroke="\#(light)"]{stroke:\#(dark)}"# }
        return "@media (prefers-color-scheme:dark){" + rules.joined() + "}"
    }()
}
