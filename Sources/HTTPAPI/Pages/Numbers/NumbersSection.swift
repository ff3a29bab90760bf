import Charts
import WebPages

/// One table of the page of a shop's numbers, with its chart and its summary figures.
///
/// Texts are in the reader's language. Cells are plain values: the page formats them for its reader, and a downloaded table contains them
/// unformatted.
struct NumbersSection: JSONWritable {
    /// The format of a column's values or of a figure.
    enum Kind: String {
        case text, day, number, share, decimal
        /// The relative change of a number, shown with a plus or minus sign.
        case change
    }

    /// One value of the table.
    enum Cell {
        case text(String)
        case number(Int)
        case fraction(Double)
        /// No value, such as a ratio with the denominator 0.
        case none

        init(_ value: Double?) { self = value.map(Cell.fraction) ?? .none }

        fileprivate func write(to json: inout JSONWriter) {
            switch self {
            case .text(let text): json.value(text)
            case .number(let number): json.value(number)
            case .fraction(let value): json.value(value)
            case .none: json.null()
            }
        }
    }

    /// A column's heading.
    struct Column {
        let title: String
        let kind: Kind

        init(_ title: String, _ kind: Kind) { (self.title, self.kind) = (title, kind) }
    }

    /// A number that summarises the table.
    struct Figure {
        let label: String
        let value: Cell
        let kind: Kind

        init(_ label: String, _ value: Cell, _ kind: Kind) { (self.label, self.value, self.kind) = (label, value, kind) }
    }

    /// A chart of the table.
    struct Picture {
        let svg: String
        /// A description of the chart in words, for readers who cannot see it.
        let says: String
    }

    /// The name of the table, the same in every language. It identifies the element on the page and names the downloaded file.
    let name: String
    let title: String
    var hint = ""
    /// The table's main finding in a sentence; empty if there is none.
    var answer = ""
    var figures: [Figure] = []
    var columns: [Column] = []
    /// Each row has one cell for each column.
    var rows: [[Cell]] = []
    /// The index of the row about the reader, which the page marks and a downloaded table does not; nil if there is none.
    var readersRow: Int?
    /// The chart; nil if there is nothing to draw.
    var picture: Picture?

    init(_ name: String, title: String) { (self.name, self.title) = (name, title) }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("name", name)
            $0.field("title", title)
            $0.field("hint", hint)
            $0.field("answer", answer)
            $0.array("figures", figures) { json, figure in
                json.object {
                    $0.field("label", figure.label)
                    $0.field("kind", figure.kind.rawValue)
                    $0.name("value")
                    figure.value.write(to: &$0)
                }
            }
            $0.array("columns", columns) { json, column in
                json.object {
                    $0.field("title", column.title)
                    $0.field("kind", column.kind.rawValue)
                }
            }
            $0.array("rows", rows) { json, row in json.array(row) { $1.write(to: &$0) } }
            $0.field("readersRow", readersRow)
            $0.field("chart", picture?.svg)
            $0.field("says", picture?.says)
        }
    }
}

/// The answer to a part of the page of numbers.
struct NumbersAnswer: JSONObject {
    let zone: String
    /// The days of the report, counted from 1970-01-01 in the shop's time zone. Both ends are included.
    let days: ClosedRange<Int>
    /// Whether the report includes all events up to the request. It may not while its model is built anew.
    let isComplete: Bool
    let sections: [NumbersSection]

    func writeFields(to json: inout JSONWriter) {
        json.field("timeZone", zone)
        json.field("from", NumbersWords.date(days.lowerBound))
        json.field("to", NumbersWords.date(days.upperBound))
        json.field("isComplete", isComplete)
        json.array("sections", sections)
    }
}
