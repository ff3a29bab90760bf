public import EventLog

/// The cause of a read model's difference from the log: the event at which it began, and the remedy.
public struct Diagnosis: Hashable, Sendable {
    /// The part that is wrong.
    public enum Cause: String, Sendable, Hashable {
        /// The model's own code makes other rows than the replay.
        case apply
        /// The code is right, and the stored rows were changed or lost. Also for an unreadable or foreign model.
        case rows
        /// The log itself is damaged, so the model cannot be judged.
        case log
    }

    struct Row: Hashable, Sendable {
        let table: String
        let key: String
        /// The row's content before the event; nil if unknown.
        let before: String?
        let stored: String
        let expected: String

        /// `unknown` is shown for a row that is missing on one side.
        init(_ difference: ModelDifference, before: String? = nil, unknown: String) {
            (table, key, self.before) = (difference.table ?? "", difference.key ?? "", before)
            (stored, expected) = (difference.stored ?? unknown, difference.expected ?? unknown)
        }
    }

    public let cause: Cause
    public let model: String
    /// For ``Cause/apply``, the first event after which the two differ; for ``Cause/rows``, the last event that set the row; for
    /// ``Cause/log``, the damaged event.
    public let position: Position?
    public let type: String?
    /// In one line; see `FactText`.
    public let event: String?
    /// For example the offset of the difference, or the refusal of the event.
    public let detail: String?
    let row: Row?

    public var table: String? { row?.table }
    /// As text, with ids such as `card_01…`.
    public var key: String? { row?.key }
    /// For ``Cause/apply``, the row's content before the event.
    public var before: String? { row?.before }
    public var stored: String? { row?.stored }
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

    /// The event is not shown, because the damaged record is no longer the stored event.
    init(damaged log: AuditError, model: String) {
        (cause, self.model, position, type, event, row) = (.log, model, log.position, nil, nil, nil)
        let place = log.position.map { " at position \($0)" } ?? ""
        detail = "the log is damaged\(place): \(log.detail)"
    }
}

extension Diagnosis: CustomStringConvertible {
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
