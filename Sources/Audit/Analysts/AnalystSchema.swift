internal import LoyaltyCodec

/// What stands beside the tables: their description for programs and for people.
struct AnalystSchema {
    let format: AnalystFormat
    let summary: AnalystExport.Summary
    let tables: [AnalystTable]

    /// `schema.json`: every table with its columns, their types and meanings, in a form of its own.
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
