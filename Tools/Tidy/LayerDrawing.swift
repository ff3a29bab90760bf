/// Draws the layers as an SVG picture for the README, each target above its dependencies, in the row of its longest chain.
///
/// Lines are those of ``LayerTable/arrows``. Colours adapt to a light or dark page.
struct LayerDrawing {
    private let table: LayerTable

    private static let width = 1_000
    private static let rowHeight = 62
    private static let boxHeight = 26
    private static let gap = 14

    /// The position is in pixels from the upper left corner.
    private struct Box {
        let layer: LayerTable.Layer
        let x: Int
        let y: Int
        let width: Int

        var centre: Int { x + width / 2 }
    }

    init(_ table: LayerTable) { self.table = table }

    /// The same manifest gives the same bytes.
    var svg: String {
        let boxes = placed()
        let height = Self.rowHeight * ((boxes.map { $0.y }.max() ?? 0) / Self.rowHeight + 1) + Self.gap
        let places = Dictionary(uniqueKeysWithValues: boxes.map { ($0.layer.name, $0) })
        let lines = table.arrows.flatMap { arrow in
            arrow.below.compactMap { name in
                places[arrow.layer.name].flatMap { upper in places[name].map { line(from: upper, to: $0) } }
            }
        }
        return ([head(height)] + lines + boxes.map(drawn) + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func placed() -> [Box] {
        let arrows = table.arrows
        var depths: [String: Int] = [:]
        for arrow in arrows { depths[arrow.layer.name] = (arrow.below.compactMap { depths[$0] }.max() ?? -1) + 1 }
        let deepest = depths.values.max() ?? 0
        return (0...deepest).flatMap { depth in
            row(arrows.map(\.layer).filter { depths[$0.name] == depth }, y: Self.gap + (deepest - depth) * Self.rowHeight)
        }
    }

    private func row(_ layers: [LayerTable.Layer], y: Int) -> [Box] {
        let widths = layers.map { 20 + 8 * $0.name.count }
        let free = Self.width - widths.reduce(0, +)
        let gap = min(4 * Self.gap, max(2, free / (layers.count + 1)))
        var x = (Self.width - widths.reduce(0, +) - gap * (layers.count - 1)) / 2
        return zip(layers, widths).map { layer, width in
            defer { x += width + gap }
            return Box(layer: layer, x: x, y: y, width: width)
        }
    }

    private func head(_ height: Int) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" role="img">
        <title>The layers of GreenTea: each depends on those below that a line leads to</title>
        <style>
        text { font: 13px ui-monospace, monospace; text-anchor: middle; fill: #1d3b2a }
        rect { fill: #e8f3ec; stroke: #4c8b67 } .program { fill: #fff6df; stroke: #b58a2c }
        path { fill: none; stroke: #4c8b67; stroke-opacity: .45 }
        @media (prefers-color-scheme: dark) {
        text { fill: #e6efe9 } rect { fill: #1e3327 } .program { fill: #3a3018 }
        }
        </style>
        """
    }

    private func line(from upper: Box, to lower: Box) -> String {
        let (start, end) = (upper.y + Self.boxHeight, lower.y)
        let middle = (start + end) / 2
        return "<path d=\"M\(upper.centre) \(start)C\(upper.centre) \(middle) \(lower.centre) \(middle) \(lower.centre) \(end)\"/>"
    }

    private func drawn(_ box: Box) -> String {
        let kind = box.layer.folder == "Sources/" + box.layer.name && box.layer.name != "greentea" ? "" : " class=\"program\""
        return "<rect x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" height=\"\(Self.boxHeight)\" rx=\"5\"\(kind)/>"
            + "<text x=\"\(box.centre)\" y=\"\(box.y + 18)\">\(box.layer.name)</text>"
    }
}
