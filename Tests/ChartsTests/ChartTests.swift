import Foundation
import FoundationXML
import Testing

@testable import Charts

/// Charts are well-formed, describe themselves, and put values in the right places.
@Suite struct ChartTests {
    private static let labels = ChartLabels(title: "A < B & \"C\"", description: "茶\u{7}", x: "across", y: "up")

    /// Collects a chart's elements and visible texts.
    private final class Reader: NSObject, XMLParserDelegate {
        private(set) var elements: [(name: String, attributes: [String: String])] = []
        private(set) var texts: [String] = []
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
        ) {
            elements.append((name, attributes))
            text = ""
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if ["text", "title", "desc"].contains(name) { texts.append(text) }
        }

        func numbers(_ name: String, _ attribute: String) -> [Double] {
            elements.filter { $0.name == name }.compactMap { $0.attributes[attribute].flatMap(Double.init) }
        }
    }

    private func read(_ svg: String) throws -> Reader {
        let (reader, parser) = (Reader(), XMLParser(data: Data(svg.utf8)))
        parser.delegate = reader
        #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
        return reader
    }

    private static var pictures: [String] {
        let points = (0..<5).map { LineChart.Point(x: Double($0), y: Double($0 * $0)) }
        return [
            LineChart(labels, [.init("one", points), .init("two", [])]).svg(), LineChart(labels, []).svg(),
            LineChart(labels, [.init("one", points)], x: .logarithmic).svg(),
            BarChart(labels, [.init("0", 0.1, note: "1 of 10"), .init("1", .nan), .init("2", -1)], y: .percent).svg(),
            GroupedBarChart(labels, series: ["a", "<b>"], [.init("1", [1, -2]), .init("2", [.nan, 3])]).svg(),
            BarChart(labels, []).svg(), GroupedBarChart(labels, series: [], []).svg(),
            HeatMap(labels, [.init("Monday", [1, 0.5, 0]), .init("", [])]).svg(), HeatMap(labels, []).svg(),
        ]
    }

    @Test("Every chart is a well-formed SVG with title and description, and has the same bytes each time")
    func wellFormed() throws {
        for svg in Self.pictures {
            let reader = try read(svg)
            #expect(reader.elements.first?.name == "svg" && reader.elements.first?.attributes["aria-labelledby"] == "title desc")
            #expect(reader.texts.prefix(2) == ["A < B & \"C\"", "茶"], "characters that XML forbids are left out of title and description")
            #expect(
                Set(reader.elements.map(\.name)).isSubset(of: ["svg", "title", "desc", "style", "rect", "line", "path", "circle", "text"]))
            #expect(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("href"))
            let height = try #require(reader.elements.first?.attributes["height"].flatMap(Double.init))
            #expect((reader.numbers("text", "y") + reader.numbers("rect", "y")).allSatisfy { (0...height).contains($0) })
        }
        #expect(Self.pictures == Self.pictures)
    }

    @Test("Every colour of a chart has a counterpart in the dark style")
    func darkColors() throws {
        for svg in Self.pictures {
            let colors = try read(svg).elements.flatMap { [$0.attributes["fill"], $0.attributes["stroke"]] }.compactMap(\.self)
            for color in Set(colors).subtracting(["none"]) {
                #expect(ChartColors.darkStyle.contains(#"[fill="\#(color)"]{fill:#"#), "\(color)")
                #expect(ChartColors.darkStyle.contains(#"[stroke="\#(color)"]{stroke:#"#), "\(color)")
            }
        }
    }

    @Test("A line's points are at the places of their values, and only several lines have a legend")
    func linePoints() throws {
        let points = [(1_000.0, 0.0), (10_000, 50), (100_000, 100)].map { LineChart.Point(x: $0, y: $1) }
        let reader = try read(LineChart(Self.labels, [.init("one", points)], x: .logarithmic).svg())
        #expect(reader.numbers("circle", "cx") == [72, 404, 736])
        #expect(reader.numbers("circle", "cy") == [324, 186, 48])
        #expect(reader.texts.contains("1000") && reader.texts.contains("10 k") && reader.texts.contains("100 k"))
        #expect(!reader.texts.contains("one"), "a chart of a single line has no legend")
        let two = try read(LineChart(Self.labels, [.init("one", points), .init("two", points)]).svg())
        #expect(two.texts.contains("one") && two.texts.contains("two"))
    }

    @Test("A chart of counts has only whole ticks", arguments: [1, 2, 3, 7, 40])
    func wholeTicks(_ greatest: Int) throws {
        let bars = [BarChart.Bar("a", Double(greatest)), .init("b", 0)]
        #expect(Scale(.linear, for: bars.map(\.value), isWhole: true).ticks.allSatisfy { $0 == $0.rounded() })
        let texts = try read(BarChart(Self.labels, bars, y: .count).svg()).texts
        #expect(texts.contains("0") && texts.contains { Int($0).map { $0 >= greatest } ?? false } && !texts.contains { $0.contains(".") })
        #expect(try read(BarChart(Self.labels, [.init("a", 1)]).svg()).texts.contains("0.2"))
    }

    @Test("A bar is as high as its value, and only some of many bars have their labels")
    func barHeights() throws {
        let bars = [0.1, 0.2, 0.4].enumerated().map { BarChart.Bar("\($0.offset)", $0.element, note: "n\($0.offset)") }
        let reader = try read(BarChart(Self.labels, bars, y: .percent).svg())
        let heights = reader.numbers("rect", "height").dropFirst()
        #expect(Array(heights) == [64, 128, 256])
        #expect(["40 %", "0 %", "n2", "2"].allSatisfy { reader.texts.contains($0) })
        let many = try read(BarChart(Self.labels, (0..<60).map { BarChart.Bar("b\($0)", 1) }).svg())
        #expect(many.texts.contains("b0") && !many.texts.contains("b1") && many.texts.contains("b3"))
    }

    @Test("Grouped bars start at zero, and their groups and series have labels")
    func groupedBars() throws {
        let groups = [GroupedBarChart.Group("May", [10, -10]), .init("June", [.nan, 5, 99])]
        let reader = try read(GroupedBarChart(Self.labels, series: ["a", "b"], groups).svg())
        let (tops, heights) = (reader.numbers("rect", "y"), reader.numbers("rect", "height"))
        #expect(Array(heights.dropFirst().prefix(3)) == [128, 128, 64] && Array(tops.dropFirst().prefix(3)) == [48, 176, 112])
        #expect(heights.count == 1 + 3 + 2, "rectangles: the background, three bars with a value, two series in the legend")
        #expect(tops.suffix(2).allSatisfy { $0 + 10 < 48 }, "the legend is above the area, where it covers no bar")
        let names = reader.elements.filter { $0.name == "text" && $0.attributes["y"] == "42" }.compactMap { $0.attributes["x"] }
        #expect(names == ["88", "131"], "the second name begins after the first one")
        #expect(["May, a: 10", "May, b: -10", "June, b: 5", "May", "a"].allSatisfy { reader.texts.contains($0) })
        let many = try read(GroupedBarChart(Self.labels, series: ["a"], (0..<30).map { .init("g\($0)", [1]) }).svg())
        #expect(many.texts.contains("g3") && !many.texts.contains("g1"))
    }

    @Test("A cell of a heat map is darker for a larger share, and is left out for none")
    func darkerCells() throws {
        #expect([0, 0.001, 0.025, 0.05, 0.1, 0.39, 0.4, 1].map(HeatMap.step) == [nil, 0, 1, 2, 3, 4, 5, 5])
        let reader = try read(HeatMap(Self.labels, [.init("a", [1, 0, 0.03]), .init("b", [1])]).svg())
        let paths = reader.elements.filter { $0.name == "path" }.map { ($0.attributes["fill"] ?? "", $0.attributes["d"] ?? "") }
        #expect(paths.map(\.0) == [ChartColors.steps[1], ChartColors.steps[5]])
        #expect(paths.map(\.1) == ["M168 64h21v21h-21z", "M124 64h21v21h-21zM124 86h21v21h-21z"])
        #expect(reader.texts.contains("a") && reader.texts.contains("≥ 40 %"))
    }

    @Test(
        "A number in a chart is finite, with at most the given decimals and no trailing zeros",
        arguments: [
            (0, 0, "0"), (1.005, 2, "1"), (-1.5, 2, "-1.5"), (0.05, 2, "0.05"), (123.456, 1, "123.5"), (-0.001, 2, "0"),
            (.infinity, 2, "0"),
            (1e300, 0, "9000000000000000"), (2.5, 4, "2.5"),
        ] as [(Double, Int, String)])
    func shortNumbers(_ value: Double, _ decimals: Int, _ text: String) {
        #expect(ChartNumber.text(value, decimals: decimals) == text)
    }

    @Test("Ticks of a linear scale are round numbers, and those of a logarithmic scale are powers of ten")
    func ticksAreRound() {
        #expect(Scale(.linear, for: [3, 97]).ticks == [0, 20, 40, 60, 80, 100])
        #expect(Scale(.linear, for: []).ticks.first == 0 && Scale(.linear, for: []).last > 0)
        #expect(Scale(.linear, for: [-8, 8]).ticks.contains(0))
        #expect(Scale(.logarithmic, for: [1e6, 1e8]).ticks == [1e6, 1e7, 1e8])
        #expect(Scale(.logarithmic, for: [5]).ticks == [1, 10])
        #expect(Scale(.logarithmic, for: [0.02, 0, -1]).ticks.count == 2)
        let scale = Scale(.logarithmic, for: [1, 1_000])
        #expect(scale.place(1) == 0 && scale.place(0) == 0 && abs(scale.place(31.622776601683793) - 0.5) < 1e-5 && scale.place(1_000) == 1)
        #expect(ValueFormat.number.text(2_500_000) == "2.5 M" && ValueFormat.number.text(3e9) == "3 G")
    }
}
