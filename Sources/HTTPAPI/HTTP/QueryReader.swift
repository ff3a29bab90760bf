import EventLog
import Hummingbird
import HummingbirdCore
import Loyalty
import LoyaltyCodec

/// Reads parameters of a query and collects all faults. An invalid parameter counts as absent; `verdict` throws before its use.
struct QueryReader {
    private let parameters: FlatDictionary<Substring, Substring>
    private(set) var errors: [FieldError] = []

    init(_ request: Request) { parameters = request.uri.queryParameters }

    /// - Throws: `invalidRequest` with all faults.
    func verdict() throws(Problem) { guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) } }

    mutating func complain(_ name: String, _ fault: RequestFault) { errors.append(FieldError(field: name, fault: fault)) }
    func text(_ name: String) -> String? { parameters[name[...]].map(String.init) }

    mutating func value<Value>(_ name: String, _ fault: RequestFault, _ read: (String) -> Value?) -> Value? {
        guard let text = text(name) else { return nil }
        let value = read(text)
        if value == nil { complain(name, fault) }
        return value
    }

    /// Nil if absent.
    ///
    /// - Throws: `notFound` for a text that is not an id of this kind.
    func id<Noun: Identified>(_ name: String, of noun: Noun.Type) throws(Problem) -> ID<Noun>? {
        guard let text = text(name) else { return nil }
        guard let id = ID<Noun>(text: text) else { throw Problem(.notFound) }
        return id
    }

    /// One of an enumeration's names.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) -> Choice? {
        value(name, .oneOf(Choice.allCases.map(\.rawValue))) { Choice(rawValue: $0) }
    }

    mutating func flag(_ name: String) -> Bool? {
        value(name, .kind(.flag)) { text in text == "true" ? true : text == "false" ? false : nil }
    }
}

extension Request {
    /// One parameter of the query; nil if absent.
    ///
    /// - Throws: `invalidRequest` with the fault of a text that `read` refuses.
    func parameter<Value>(_ name: String, _ fault: RequestFault, _ read: (String) -> Value?) throws(Problem) -> Value? {
        guard let text = uri.queryParameters[name[...]] else { return nil }
        guard let value = read(String(text)) else { throw .invalid(name, fault) }
        return value
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        // `Int` also reads "+7" and "007".
        try parameter(name, .wholeNumber(range)) { text in
            Int(text).flatMap { range.contains($0) && String($0) == text ? $0 : nil }
        }
    }

    /// The position after which a page begins; the log's start if absent.
    func positionAfter() throws(Problem) -> Position { try parameter("after", .position) { Position(canonical: $0) } ?? .start }
}

extension Position {
    /// Only ASCII digits without leading zeros.
    fileprivate init?(canonical text: String) {
        guard let number = UInt64(text), String(number) == text else { return nil }
        self.init(number)
    }
}

extension APIContext {
    /// - Throws: `notFound` for a text that is not an id of this kind.
    func id<Noun: Identified>(_ noun: Noun.Type = Noun.self, named name: String = "id") throws(Problem) -> ID<Noun> {
        guard let text = parameters.get(name), let id = ID<Noun>(text: text) else { throw Problem(.notFound) }
        return id
    }

    /// - Throws: `notFound`.
    func position() throws(Problem) -> Position {
        guard let position = parameters.get("position").flatMap({ Position(canonical: $0) }) else { throw Problem(.notFound) }
        return position
    }
}
