/// Groups of bars as an SVG document: no script, no style sheet, a title and a description for whoever does not see it.
struct BarChart {
    /// One group: its name and a value for each series.
    struct Group {
        let name: String
        let values: [Int]
    }

    let title: String
    let description: String
    /// Names of the series.
    let series: [String]
    let groups: [Group]

    /// Told apart by lightness too, for who sees no colours and for paper (ColorBrewer, Paired).
    private static let colours = ["#a6cee3", "#1f78b4"]
    private static let (left, right, upper, lower) = (56.0, 16.0, 56.0, 44.0)
    private static let plotHeight = 240.0
    private static let groupWidthMin = 18.0
    private static let plotWidthMin = 480.0
    private static let labelWidth = 56.0
    private static let barShare = 0.8

    private var groupWidth: Double { max(Self.groupWidthMin, Self.plotWidthMin / Double(max(1, groups.count))) }
    private var width: Double { Self.left + Self.right + groupWidth * Double(max(1, groups.count)) }
    private var height: Double { Self.upper + Self.plotHeight + Self.lower }
    private var scale: BarScale { BarScale(groups.flatMap(\.values)) }

    /// The whole document.
    var svg: String {
        let (width, height) = (SVGText.number(width), SVGText.number(height))
        let attributes = [
            ("xmlns", "http://www.w3.org/2000/svg"), ("width", width), ("height", height), ("viewBox", "0 0 \(width) \(height)"),
            ("role", "img"), ("aria-labelledby", "title desc"), ("font-family", "sans-serif"),
        ]
        var lines = [
            SVGText.element("title", [("id", "title")], SVGText.escaped(title)),
            SVGText.element("desc", [("id", "desc")], SVGText.escaped(description)),
            SVGText.element("rect", [("width", width), ("height", height), ("fill", "#ffffff")]),
            SVGText.text(title, x: Self.left, y: 22, size: 15),
        ]
        lines += legend + grid + bars + labels
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + SVGText.element("svg", attributes, "\n" + lines.map { "  \($0)\n" }.joined()) + "\n"
    }

    private var legend: [String] {
        series.enumerated().flatMap { index, name in
            let x = Self.left + Double(index) * 90
            return [
                SVGText.element(
                    "rect", [("x", SVGText.number(x)), ("y", "34"), ("width", "10"), ("height", "10"), ("fill", Self.colours[index % 2])]),
                SVGText.text(name, x: x + 15, y: 43),
            ]
        }
    }

    private var grid: [String] {
        scale.ticks.flatMap { value in
            let y = place(value)
            let line = [("x1", SVGText.number(Self.left)), ("x2", SVGText.number(width - Self.right)), ("y1", SVGText.number(y))]
            return [
                SVGText.element("line", line + [("y2", SVGText.number(y)), ("stroke", value == 0 ? "#333333" : "#dddddd")]),
                SVGText.text("\(value)", x: Self.left - 6, y: y + 4, anchor: "end", size: 11),
            ]
        }
    }

    private var bars: [String] {
        groups.enumerated().flatMap { index, group in
            let barWidth = groupWidth * Self.barShare / Double(max(1, series.count))
            return group.values.enumerated().map { number, value in
                let x = Self.left + Double(index) * groupWidth + groupWidth * (1 - Self.barShare) / 2 + Double(number) * barWidth
                let (top, bottom) = (min(place(value), place(0)), max(place(value), place(0)))
                return SVGText.element(
                    "rect",
                    [
                        ("x", SVGText.number(x)), ("y", SVGText.number(top)), ("width", SVGText.number(barWidth)),
                        ("height", SVGText.number(bottom - top)), ("fill", Self.colours[number % 2]),
                    ], SVGText.element("title", [], SVGText.escaped("\(group.name), \(series[number]): \(value)")))
            }
        }
    }

    /// As many names as there is room for.
    private var labels: [String] {
        let every = max(1, Int((Self.labelWidth / groupWidth).rounded(.up)))
        return groups.enumerated().filter { $0.offset % every == 0 }.map { index, group in
            let x = Self.left + (Double(index) + 0.5) * groupWidth
            return SVGText.text(group.name, x: x, y: Self.upper + Self.plotHeight + 20, anchor: "middle", size: 11)
        }
    }

    private func place(_ value: Int) -> Double {
        let span = Double(scale.upper - scale.lower)
        return Self.upper + Self.plotHeight * (1 - Double(value - scale.lower) / span)
    }
}
