extension AnalystSchema {
    /// `README.md`: how to read the files, and what each column says.
    var guide: String {
        ([heading, reading, parquet, sealed] + tables.map(section)).joined(separator: "\n")
    }

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
