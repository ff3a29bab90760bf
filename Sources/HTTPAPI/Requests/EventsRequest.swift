import EventLog
import Hummingbird
import LoyaltyCodec

/// Which events an operator asks for: `?after=&tag=&type=`.
struct EventsRequest: Sendable {
    /// Exclusive.
    let after: Position
    let query: Query
    /// The list that cursors hold for: another question, another list.
    let list: String

    init(_ request: Request) throws(Problem) {
        let parameters = request.uri.queryParameters
        after = try Self.position(parameters["after"].map(String.init))
        let tag = try Self.tag(parameters["tag"].map(String.init))
        let type = try Self.type(parameters["type"].map(String.init))
        let item = QueryItem(types: type.map { [$0] } ?? [], tags: tag.map { [$0] } ?? [])
        query = tag == nil && type == nil ? .all : .items([item])
        list = "events of \(tag?.text ?? "any tag") and \(type.map { "\($0.rawValue)" } ?? "any type")"
    }

    private static func position(_ text: String?) throws(Problem) -> Position {
        guard let text else { return .start }
        guard let number = UInt64(text), String(number) == text else { throw .invalid("after", "must be a position") }
        return Position(number)
    }

    /// A request's digest is in no index, so nothing is found by it.
    private static func tag(_ text: String?) throws(Problem) -> Tag? {
        guard let text else { return nil }
        guard let tag = Tag(text: text), LoyaltySchema.schema.tagKinds[tag.kind]?.isIndexed == true else {
            throw .invalid("tag", "must be a kind and an id: card:card_01h455vb4pex5vsknk084sn02q")
        }
        return tag
    }

    private static func type(_ name: String?) throws(Problem) -> EventType? {
        guard let name else { return nil }
        guard let type = LoyaltySchema.schema.types.first(where: { $0.value == name })?.key else {
            throw .invalid("type", "must be the name of an event type: CardStamped")
        }
        return type
    }
}
