public import EventLog

/// The cause of a read model's difference from the log: the event at which it began, and the remedy.
public struct Diagnosis: Hashable, Sendable {
    /// The cause: the model's code, or its stored rows.
    public enum Cause: String, Sendable, Hashable {
        /// The model's own code makes other rows from the log than the replay does.
        case apply
        /// The model's code makes the right rows. The stored rows were changed, lost, or written by other code. A model that cannot be read
        /// or that belongs to another log has this cause too, although its code was not checked.
        case rows
        /// The log itself is damaged, so nothing can be said about the model before the log is restored.
        case log
    }

    /// One row with its expected and its actual content.
    struct Row: Hashable, Sendable {
        let table: String
        let key: String
        /// The row's content before the event that caused the difference; nil if it was not determined.
        var before: String?
        let stored: String
        let expected: String
    }

    public let cause: Cause
    /// The model's name.
    public let model: String
    /// For ``Cause/apply``, the first event after which the model and the replay differ; for ``Cause/rows``, the last event that gave the
    /// row its expected content; for ``Cause/log``, the damaged event. Nil if there is no such event, or if the model cannot be read or
    /// belongs to another log.
    public let position: Position?
    /// The type of the event at ``position``.
    public let type: String?
    /// The event at ``position`` in one line of text; see `FactText`.
    public let event: String?
    /// Details, such as the offset at which the row differs, or the error with which the model refuses the event; nil if there are none.
    public let detail: String?
    let row: Row?

    /// The name of the table that has the wrong row; nil if the diagnosis names no row.
    public var table: String? { row?.table }
    /// The row's key as text, with ids such as `card_01…`.
    public var key: String? { row?.key }
    /// For ``Cause/apply``, the row's content before the event, which is the same in the model and in the replay.
    public var before: String? { row?.before }
    /// For ``Cause/apply``, the row as the model's code made it; for ``Cause/rows``, the row as it is stored.
    public var stored: String? { row?.stored }
    /// The row's expected content.
    public var expected: String? { row?.expected }

    /// The operator's next step.
    public var remedy: String {
        switch cause {
        case .apply:
            "Fix what \(model) does with this event (or the replay that checks it), raise its schemaVersion, and have it built anew."
        case .rows:
            "Build it anew (greentea-rebuild --model \(model)), and have the disk checked; where its code was changed lately, raise its "
                + "schemaVersion."
        case .log:
            "Do not build \(model) anew: it would be made from the damaged event. \(AuditError.damageRemedy)"
        }
    }

    init(_ cause: Cause, model: String, at event: FoundEvent? = nil, row: Row? = nil, detail: String? = nil) {
        (self.cause, self.model, self.row, self.detail) = (cause, model, row, detail)
        (position, type, self.event) = (event?.position, event?.type, event?.line)
    }

    /// The diagnosis for a damaged log. It does not show the event, because the damaged record is no longer the event that was stored.
    init(damaged log: AuditError, model: String) {
        (cause, self.model, position, type, event, row) = (.log, model, log.position, nil, nil, nil)
        let place = log.position.map { " at position \($0)" } ?? ""
        detail = "the log is damaged\(place): \(log.detail)"
    }
}

extension Diagnosis: CustomStringConvertible {
    /// The diagnosis for the operator, as indented lines, each with a label and a text.
    public var description: String {
        let cause =
            switch cause {
            case .apply: "apply: the model's own code, run anew, does not make what the log says"
            case .rows: "rows: the model's own code, run anew, makes what the log says; the stored rows are others"
            case .log: "log: the log is damaged, so what it says now is not what was stored"
            }
        let place = position.map { "\($0)" + (type.map { " \($0)" } ?? "") }
        let event = event ?? place ?? (row == nil ? nil : "none: no event ever touched this row")
        let cell = row.map { "\($0.table) \($0.key)" }
        let lines = [
            ("cause", cause), ("event", event), ("row", cell), ("before", before), ("stored", stored), ("expected", expected),
            ("detail", detail), ("remedy", remedy),
        ]
        return lines.compactMap { name, text in text.map { "  " + name + String(repeating: " ", count: 10 - name.count) + $0 } }
            .joined(separator: "\n")
    }
}
