/// Why bytes are no record.
enum RecordFault: Error, Equatable {
    case unclosedQuote
    case quoteInsideField
    case textAfterQuote
    case tooLong
    case notUTF8

    /// What a person is told.
    var reason: String {
        switch self {
        case .unclosedQuote: "a quote is opened and not closed"
        case .quoteInsideField: "a quote stands inside a field that is not quoted"
        case .textAfterQuote: "text follows a closing quote"
        case .tooLong: "the record is longer than \(Limits.recordBytesMax) bytes"
        case .notUTF8: "the record is not UTF-8"
        }
    }
}
