import Charts
import WebPages

/// A table of the page of numbers, with chart and figures. Cells are plain values, which the page formats and a downloaded table does not.
struct NumbersSection: JSONWritable {
    enum Kind: String {
        case text, day, number, share, decimal
        /// A relative change, with its sign.
        case change
    }

    enum Cell {
        case text(String)
        case number(Int)
        case fraction(Double)
        /// Such as a ratio with the denominator 0.
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

    struct Column {
        let title: String
        let kind: Kind

        init(_ title: String, _ kind: Kind) { (self.title, self.kind) = (title, kind) }
    }

    struct Figure {
        let label: String
        let value: Cell
        let kind: Kind

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
    var hint = ""
    /// The main finding; empty if there is none.
    var answer = ""
    var figures: [Figure] = []
    var columns: [Column] = []
    /// One cell for each column.
    var rows: [[Cell]] = []
    /// The reader's own row, marked on the page only.
    var readersRow: Int?
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

struct NumbersAnswer: JSONObject {
    let zone: String
    /// Days since 1970-01-01 in the shop's time zone, inclusive.
    let days: ClosedRange<Int>
    /// False while the model is built anew.
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
