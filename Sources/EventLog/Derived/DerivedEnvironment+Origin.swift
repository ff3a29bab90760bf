extension DerivedEnvironment {
    /// What became of an earlier content at opening.
    public enum Origin: Sendable, Hashable {
        /// It was kept: whatever its transactions stored is there.
        case kept
        /// It is empty, for this reason: to be filled again from the log.
        case fresh(Reason)
    }

    /// Why a derived environment begins empty.
    public enum Reason: String, Sendable, Hashable {
        /// There was nothing.
        case missing
        /// The machine, or a copy's origin, stopped without a clean close: pages may be lost.
        case uncleanStop
        /// The storage layer could not read it.
        case damaged
        /// The caller had no more use for it: another schema, another log.
        case discarded
    }
}
