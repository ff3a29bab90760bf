/// Why a model is built from the first event on rather than going on where it stopped.
public enum BuildReason: String, Sendable, Hashable {
    /// There was none, or its folder was deleted.
    case missing
    /// The program's rows differ from those that were stored.
    case schemaChanged
    /// The machine stopped without warning while the model was open; its pages may be lost.
    case uncleanStop
    /// The storage layer could not read it.
    case damaged
    /// It had come further than the log, or stood on an event that the log does not hold: it belongs to another log.
    case otherLog
    /// Somebody asked for it.
    case requested
}
