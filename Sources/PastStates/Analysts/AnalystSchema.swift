internal import LoyaltyCodec

/// The description of the exported tables, for programs and for people.
struct AnalystSchema {
    let format: AnalystFormat
    let summary: AnalystExport.Summary
    let tables: [AnalystTable]

    /// The file `schema.json`: every exported table with its columns, their types and meanings.
    var json: String {
        let head = [
            #"  "form": "greentea-analysts","#, #"  "version": 1,"#, #"  "format": "\#(format.rawValue)","#,
            #"  "position": \#(summary.position),"#, #"  "tables": ["#,
        ]
        return "{\n" + head.joined(separator: "\n") + "\n" + tables.map(text).joined(separator: ",\n") + "\n  ]\n}\n"
    }

    private func text(_ table: AnalystTable) -> String {
        let written = summary.tables.first { $0.name == table.name }
        let members = [
            ("name", JSONText.string(table.name)), ("file", JSONText.string("\(table.name).\(format.rawValue)")),
            ("about", JSONText.string(table.about)), ("source", JSONText.string(table.source)), ("rows", "\(written?.rows ?? 0)"),
            ("bytes", "\(written?.bytes ?? 0)"),
        ]
        let lines = members.map { "      \(JSONText.string($0)): \($1),\n" }.joined()
        return "    {\n" + lines + "      \"columns\": [\n" + table.columns.map(text).joined(separator: ",\n") + "\n      ]\n    }"
    }

    private func text(_ column: AnalystColumn) -> String {
        let members = [("name", column.name), ("type", column.type.rawValue), ("sql", column.type.sql), ("about", column.about)]
        return "        " + JSONText.object(members.map { ($0, JSONText.string($1)) })
    }
}

struct AnalystTable: Sendable {
    let name: String
    let about: String
    /// The source of the rows: `log`, or a model and its table.
    let source: String
    let columns: [AnalystColumn]
}

struct AnalystColumn: Sendable {
    let name: String
    let type: AnalystType
    /// With the unit and the cases without a value.
    let about: String

    init(_ name: String, _ type: AnalystType, _ about: String) { (self.name, self.type, self.about) = (name, type, about) }

    /// Converts a name from Swift's style to SQL's: `codeSecret` becomes `code_secret`, `card-progress` becomes `card_progress`.
    static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { text, character in
            if character.isUppercase { text += "_" }
            text += character == "-" ? "_" : character.lowercased()
        }
    }
}

enum AnalystType: String, Sendable {
    /// An id as in the API, a keyed hash in hexadecimal, or other text.
    case text
    case integer
    case number
    case boolean
    /// RFC 3339 in UTC with six decimals of the second.
    case time
    /// A JSON object.
    case json

    /// The type in DuckDB. Other SQL databases have similar types.
    var sql: String {
        switch self {
        case .text: "VARCHAR"
        case .integer: "BIGINT"
        case .number: "DOUBLE"
        case .boolean: "BOOLEAN"
        case .time: "TIMESTAMP"
        case .json: "JSON"
        }
    }
}

extension AnalystSchema {
    /// The file `README.md`: how to read the exported files, and the meaning of each column.
    var guide: String { ([heading, reading, parquet, sealed] + tables.map(section)).joined(separator: "\n") }

    private var heading: String {
        """
        # Tables of a GreenTea log

        Everything is as of position \(summary.position) of the log and follows from the log alone. The same log gives the same bytes.
        `schema.json` says the same as this page for programs.

        """
    }

    private var reading: String {
        let values =
            switch format {
            case .csv:
                """
                CSV as RFC 4180 has it, in UTF-8: lines end with CRLF, the first has the names, a field with a comma, a quote, a space or \
                a line break stands in quotes. Nothing between two commas is no value; `""` is an empty text. A spreadsheet may take \
                text that begins with `=` for a formula: import such columns as text.
                """
            case .jsonl: "One JSON object on each line, in UTF-8, with every column in it; `null` is no value."
            }
        return """
            ## Reading

            \(values)
            Times are RFC 3339 in UTC with microseconds. Ids are as the API shows them. Keyed hashes are 32 hexadecimal digits: \
            they can be \
            compared and not turned back.

            """
    }

    private var parquet: String {
        let name = tables.first?.name ?? "events"
        return """
            ## Parquet, with DuckDB

                duckdb -c "COPY (SELECT * FROM '\(name).\(format.rawValue)') TO '\(name).parquet'"

            """
    }

    private var sealed: String {
        """
        ## Sealed fields

        Phones, names, birthdays and what people wrote are sealed under their own keys and stay so here, as base64: the service \
        opens them, \
        these files cannot. When an account is erased, its key is destroyed, and with it the meaning of these bytes wherever they are.

        """
    }

    private func section(_ table: AnalystTable) -> String {
        let rows = table.columns.map { "| `\($0.name)` | \($0.type.rawValue) | \($0.about) |" }
        let about = ["## \(table.name)", "", "\(table.about) From: \(table.source).", ""]
        let head = about + ["| column | type | what it says |", "|---|---|---|"]
        return (head + rows + [""]).joined(separator: "\n")
    }
}
