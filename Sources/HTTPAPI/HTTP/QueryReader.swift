import CommandService
import EventLog
import Hummingbird
import HummingbirdCore
import Loyalty
import LoyaltyCodec

/// Takes parameters out of a request's query and collects all faults, each by its parameter's name.
///
/// An invalid parameter reads as absent; `verdict` throws before the value is used.
struct QueryReader {
    private let parameters: FlatDictionary<Substring, Substring>
    private(set) var errors: [FieldError] = []

    init(_ request: Request) {
        parameters = request.uri.queryParameters
    }

    /// - Throws: `invalidRequest` with all faults.
    func verdict() throws(Problem) {
        guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) }
    }

    mutating func complain(_ name: String, _ fault: RequestFault) {
        errors.append(FieldError(field: name, fault: fault))
    }

    func text(_ name: String) -> String? { parameters[name[...]].map(String.init) }

    /// The result of `read` for a parameter; nil if it is absent.
    mutating func value<Value>(_ name: String, _ fault: RequestFault, _ read: (String) -> Value?) -> Value? {
        guard let text = text(name) else { return nil }
        let value = read(text)
        if value == nil { complain(name, fault) }
        return value
    }

    /// - Throws: `notFound` for a text that is not an id, or the id of another kind of thing.
    func id<Noun: Identified>(_ name: String, of noun: Noun.Type) throws(Problem) -> ID<Noun>? {
        guard let text = text(name) else { return nil }
        guard let id = ID<Noun>(text: text) else { throw Problem(.notFound) }
        return id
    }

    mutating func flag(_ name: String) -> Bool? {
        value(name, .kind(.flag)) { text in text == "true" ? true : text == "false" ? false : nil }
    }
}

extension APIContext {
    /// The id in the request's path. A malformed id, or one of another kind, names nothing.
    ///
    /// - Parameter name: its name in the route.
    /// - Throws: `notFound`.
    func id<Noun: Identified>(_ noun: Noun.Type = Noun.self, named name: String = "id") throws(Problem) -> ID<Noun> {
        guard let text = parameters.get(name), let id = ID<Noun>(text: text) else { throw Problem(.notFound) }
        return id
    }

    /// The position in the request's path, in its one spelling: ASCII digits without leading zeros.
    ///
    /// - Throws: `notFound`.
    func position() throws(Problem) -> Position {
        guard let text = parameters.get("position"), let number = UInt64(text), String(number) == text else {
            throw Problem(.notFound)
        }
        return Position(number)
    }
}
