import Charts
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

    var fields: JSONFields {
        [
            "name": name, "title": title, "hint": hint, "answer": answer, "figures": figures, "columns": columns, "rows": rows,
            "readersRow": readersRow, "chart": picture?.svg, "says": picture?.says,
        ]
    }
}

struct NumbersAnswer: JSONRecord {
    let zone: String
    /// Days since 1970-01-01 in the shop's time zone, inclusive.
    let days: ClosedRange<Int>
    /// False while the model is built anew.
    let isComplete: Bool
    let sections: [NumbersSection]

    var fields: JSONFields {
        [
            "timeZone": zone, "from": NumbersWords.date(days.lowerBound), "to": NumbersWords.date(days.upperBound),
            "isComplete": isComplete, "sections": sections,
        ]
    }
}
