internal import ReadModels

/// A table of a read model as a table for analysts.
struct ModelExport: Sendable {
    let table: AnalystTable
    /// The model's name, and its table's.
    let model: String
    let modelTable: String
    /// What one row of the model becomes: mostly one row.
    let rows: @Sendable (ModelRow) throws(AuditError) -> [[AnalystValue]]

    init(
        _ model: String, _ modelTable: String, as name: String, _ about: String, _ columns: [AnalystColumn],
        rows: @escaping @Sendable (ModelRow) throws(AuditError) -> [[AnalystValue]]
    ) {
        table = AnalystTable(name: name, about: about, source: "\(model), table \(modelTable)", columns: columns)
        (self.model, self.modelTable, self.rows) = (model, modelTable, rows)
    }

    /// Every table of every model, in the order of the models. One that has no columns of its own here is exported with its key's
    /// parts and its value as people read it, so that nothing is left out.
    static let all: [ModelExport] = ReadModels.models.flatMap { model in
        model.tables.flatMap { table in
            let known = described.filter { $0.model == model.name && $0.modelTable == table.name }
            return known.isEmpty ? [ModelExport(undescribed: table, of: model.name)] : known
        }
    }

    private static let described = cards + ratings + notices + statistics

    init(undescribed table: ModelTable, of model: String) {
        let parts = table.key.enumerated().map { index, part in
            AnalystColumn("key\(index + 1)_\(part)", .text, "Part \(index + 1) of the row's key.")
        }
        let value = AnalystColumn("value", .text, "What the row says, in words.")
        let name = AnalystColumn.snakeCase("\(model)_\(table.name)")
        self.init(model, table.name, as: name, "A row of the model.", parts + [value]) { row in
            let key = table.text(key: row.key.bytes).split(separator: "/").map { AnalystValue.text(String($0)) }
            let value = row.value
            return [key + [.text(table.text(value: value.span))]]
        }
    }
}
