import Foundation
import Loyalty

extension Problem {
    /// A body that is no JSON, or not the JSON that was expected. Says which field and what it must be, in our own words: the
    /// decoder's may show the inside of the program.
    static func undecodable(_ error: DecodingError) -> Problem {
        switch error {
        case .keyNotFound(let key, let context):
            .invalid(pointer(context.codingPath + [key]), "is required")
        case .valueNotFound(let type, let context):
            .invalid(pointer(context.codingPath), "must be \(noun(type)), not null")
        case .typeMismatch(let type, let context):
            .invalid(pointer(context.codingPath), "must be \(noun(type))")
        case .dataCorrupted(let context):
            .invalid(pointer(context.codingPath), context.codingPath.isEmpty ? "must be well-formed JSON" : "must be a value in range")
        @unknown default:
            Problem(.invalidRequest)
        }
    }

    /// A JSON pointer (RFC 6901) without its first slash, as `InvalidField` has it.
    private static func pointer(_ path: [any CodingKey]) -> String {
        path.map { key in
            key.intValue.map(String.init)
                ?? key.stringValue.replacingOccurrences(of: "~", with: "~0").replacingOccurrences(of: "/", with: "~1")
        }.joined(separator: "/")
    }

    private static func noun(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Int.Type, is Int64.Type: "an integer"
        case is Double.Type: "a number"
        case is Bool.Type: "true or false"
        case is [Any].Type: "an array"
        default: "an object"
        }
    }
}
