import Charts
import ReadModels
import WebPages

/// A table of the page of numbers, with chart and figures. Cells are plain values, which the page formats and a downloaded table does not.
struct NumbersSection: JSONRecord {
    enum Kind: String {
        case text, day, number, share, decimal
        /// A relative change, with its sign.
        case change
    }

    enum Cell: JSONWritable {
        case text(String)
        case number(Int)
        case fraction(Double)
        /// Such as a ratio with the denominator 0.
        case none

        init(_ value: Double?) { self = value.map(Cell.fraction) ?? .none }

        func write(to json: inout JSONWriter) {
            switch self {
            case .text(let text): json.value(text)
            case .number(let number): json.value(number)
            case .fraction(let value): json.value(value)
            case .none: json.null()
            }
        }
    }

    struct Column: JSONRecord {
        let title: String
        let kind: Kind

        var fields: JSONFields { ["title": title, "kind": kind.rawValue] }

        init(_ title: String, _ kind: Kind) { (self.title, self.kind) = (title, kind) }
    }

    struct Figure: JSONRecord {
        let label: String
        let value: Cell
        let kind: Kind

        var fields: JSONFields { ["label": label, "kind": kind.rawValue, "value": value] }

        init(_ label: String, _ value: Cell, _ kind: Kind) { (self.label, self.value, self.kind) = (label, value, kind) }
    }

    struct Picture {
        let svg: String
        /// For readers who cannot see the chart.
        let says: String
    }

    /// The same in every language; names the element and the downloaded file.
    let name: String
    let title: String
    /// How the figures are counted.
    var hint = ""
    /// One sentence; empty with fewer than ``NumbersWords/casesMin`` cases.
    var finding = ""
    var figures: [Figure] = []
    /// Further figures, folded with ``hint``.
    var more: [Figure] = []
    var columns: [Column] = []
    /// One cell for each column.
    var rows: [[Cell]] = []
    /// The reader's own row, marked on the page only.
    var readersRow: Int?
    var picture: Picture?

    init(_ name: String, title: String) { (self.name, self.title) = (name, title) }

    var fields: JSONFields {
        [
            "name": name, "title": title, "hint": hint, "finding": finding, "figures": figures, "more": more, "columns": columns,
            "rows": rows, "readersRow": readersRow, "chart": picture?.svg, "says": picture?.says,
        ]
    }
}

/// The words of the page of numbers in one language.
struct NumbersWords {
    let language: PageLanguage

    func callAsFunction(_ word: Word, count: Int? = nil, _ values: [String: String] = [:]) -> String {
        language.say(word, count: count, values)
    }

    /// For example `2026-11-25`.
    static func date(_ day: Int) -> String { FullDate.text(day) }

    /// For example `11-25`.
    static func shortDate(_ day: Int) -> String { String(FullDate.text(day).dropFirst(5)) }

    /// The title is also the description.
    func labels(_ title: String, x: String, y: String) -> ChartLabels { ChartLabels(title: title, description: says(title), x: x, y: y) }

    func columns(_ columns: (Word, NumbersSection.Kind)...) -> [NumbersSection.Column] { columns.map { .init(self($0), $1) } }

    /// - Parameter draw: a chart with these labels, as SVG.
    func picture(_ title: Word, x: Word, y: Word, _ draw: (ChartLabels) -> String) -> NumbersSection.Picture {
        let title = self(title)
        return .init(svg: draw(labels(title, x: self(x), y: self(y))), says: says(title))
    }

    func says(_ title: String) -> String { language.say(.numbersChartSays, ["title": title]) }
}
