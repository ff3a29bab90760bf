import CommandService
import EventLog
import Hummingbird
import HummingbirdCore
import Loyalty
import LoyaltyCodec

/// Reads parameters of a request's query and collects all faults, each with the name of its parameter.
///
/// An invalid parameter is read as if it were absent; `verdict` then throws before the value is used.
struct QueryReader {
    private let parameters: FlatDictionary<Substring, Substring>
    private(set) var errors: [FieldError] = []

    init(_ request: Request) {
        parameters = request.uri.queryParameters
    }

    /// Refuses the request if any parameter was invalid.
    ///
    /// - Throws: `invalidRequest` with all faults.
    func verdict() throws(Problem) {
        guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) }
    }

    mutating func complain(_ name: String, _ fault: RequestFault) {
        errors.append(FieldError(field: name, fault: fault))
    }

    func text(_ name: String) -> String? { parameters[name[...]].map(String.init) }

    /// The result of `read` for the text of a parameter; nil if the parameter is absent.
    mutating func value<Value>(_ name: String, _ fault: RequestFault, _ read: (String) -> Value?) -> Value? {
        guard let text = text(name) else { return nil }
        let value = read(text)
        if value == nil { complain(name, fault) }
        return value
    }

    /// The id in a parameter; nil if the parameter is absent.
    ///
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
    /// The id in the request's path. A text that is not an id, or an id of another kind of thing, is answered as not found.
    ///
    /// - Parameter name: the name of the path parameter in the route.
    /// - Throws: `notFound`.
    func id<Noun: Identified>(_ noun: Noun.Type = Noun.self, named name: String = "id") throws(Problem) -> ID<Noun> {
        guard let text = parameters.get(name), let id = ID<Noun>(text: text) else { throw Problem(.notFound) }
        return id
    }

    /// The position in the request's path. Only ASCII digits without leading zeros are accepted.
    ///
    /// - Throws: `notFound`.
    func position() throws(Problem) -> Position {
        guard let text = parameters.get("position"), let number = UInt64(text), String(number) == text else {
            throw Problem(.notFound)
        }
        return Position(number)
    }
}
