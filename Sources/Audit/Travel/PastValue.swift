/// One value of an answer about the past, in a form that can be shown to people and to programs.
public indirect enum PastValue: Hashable, Sendable {
    /// Nothing there.
    case none
    case flag(Bool)
    case number(Int)
    case decimal(Double)
    /// An id, a moment or a word of ours: safe without quotes.
    case word(String)
    /// What people wrote.
    case text(String)
    case list([PastValue])
    case record([PastField])
}
