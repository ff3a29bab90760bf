public import EventLog

/// Why a read model is not what the log says: which event it goes back to, and what to do.
public struct Diagnosis: Hashable, Sendable {
    /// Whose fault it is.
    public enum Cause: String, Sendable, Hashable {
        /// The model's own code, run anew, makes other rows of the log than the replay does.
        case apply
        /// Its code makes the right rows: those that are stored were changed, lost, or written by a program of other code.
        case rows
    }

    /// What one row is, of either cause.
    struct Row: Hashable, Sendable {
        let table: String
        let key: String
        /// Before the event; nil where that was not looked for.
        var before: String?
        let stored: String
        let expected: String
    }

    public let cause: Cause
    /// The model's name.
    public let model: String
    /// Of ``Cause/apply`` the first event after which the two differ; of ``Cause/rows`` the last one that made the row what it should
    /// be. Nil where no event ever touched it, or no row is to blame.
    public let position: Position?
    /// The type of that event.
    public let type: String?
    /// That event in one line, see `FactText`.
    public let event: String?
    /// More about it: where in the row the bytes part, or what the model's code says where it refuses the event.
    public let detail: String?
    let row: Row?

    /// The table of the row.
    public var table: String? { row?.table }
    /// The row's key in readable ids.
    public var key: String? { row?.key }
    /// Of ``Cause/apply``: the row before the event, in which both agree.
    public var before: String? { row?.before }
    /// Of ``Cause/apply`` what the model's code made of the row, of ``Cause/rows`` what is stored.
    public var stored: String? { row?.stored }
    /// What the row should be.
    public var expected: String? { row?.expected }

    /// What the operator does about it.
    public var remedy: String {
        switch cause {
        case .apply:
            "Fix what \(model) does with this event (or the replay that checks it), raise its schemaVersion, and have it built anew."
        case .rows:
            "Build it anew (greentea-rebuild --model \(model)), and have the disk checked; where its code was changed lately, raise its "
                + "schemaVersion."
        }
    }

    init(_ cause: Cause, model: String, at event: FoundEvent? = nil, row: Row? = nil, detail: String? = nil) {
        (self.cause, self.model, self.row, self.detail) = (cause, model, row, detail)
        (position, type, self.event) = (event?.position, event?.type, event?.line)
    }
}

extension Diagnosis: CustomStringConvertible {
    /// Some lines, each of a word and what it says, indented.
    public var description: String {
        let cause =
            switch cause {
            case .apply: "apply: the model's own code, run anew, does not make what the log says"
            case .rows: "rows: the model's own code, run anew, makes what the log says; the stored rows are others"
            }
        let event = event ?? position.map { "\($0) \(type ?? "")" } ?? (row == nil ? nil : "none: no event ever touched this row")
        let place = row.map { "\($0.table) \($0.key)" }
        let lines = [
            ("cause", cause), ("event", event), ("row", place), ("before", before), ("stored", stored), ("expected", expected),
            ("detail", detail), ("remedy", remedy),
        ]
        return lines.compactMap { name, text in text.map { "  " + name + String(repeating: " ", count: 10 - name.count) + $0 } }
            .joined(separator: "\n")
    }
}
