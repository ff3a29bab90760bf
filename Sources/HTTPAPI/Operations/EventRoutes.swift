import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes of the log itself, for operators. Sealed fields stay sealed.
struct EventRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.get("/v1/admin/events", events)] }

    /// Oldest first. A cursor continues the previous page; `after` begins at any position. No index finds a type without a tag, so a page
    /// of such events may be short or empty although others follow.
    private func events(_ request: Request, _ context: APIContext) async throws -> Response {
        _ = try await resources.gate.admitOperator(request)
        let size = try PageRequest(request)
        let asked = try EventsRequest(request)
        let page = try resources.page(size, of: asked.list)
        let after = page.position ?? asked.after
        try await resources.awaitPosition(of: request)
        let end = asked.isWalk ? Self.end(of: resources.configuration.eventsWalkedMax, after: after, head: resources.service.log.head) : nil
        let found = try await resources.service.events(matching: asked.query, after: after, through: end ?? .max, limit: page.limit + 1)
        let items = found.prefix(page.limit)
        // The next page begins after the last item or, if the walk ended before the log does, after the last event that was examined.
        let last = found.count > page.limit ? items.last.map { Position($0.position) } : end
        return Response.ok(page.answer(items.map { FactAnswer(fact: $0) }, next: last)).unstored()
    }

    /// Nil if the log ends before that many events.
    private static func end(of most: UInt64, after: Position, head: Position) -> Position? {
        after < head && head.rawValue - after.rawValue > most ? Position(after.rawValue + most) : nil
    }
}

/// `?after=&tag=&type=`
struct EventsRequest: Sendable {
    /// Exclusive.
    let after: Position
    let query: Query
    /// Whether the query examines every event, because it names a type alone.
    let isWalk: Bool
    /// Contains the query, so that a cursor is valid only for the same query.
    let list: String

    init(_ request: Request) throws(Problem) {
        after = try request.positionAfter()
        // Refuses kinds of tags that are not indexed.
        let tag = try request.parameter("tag", .form(.tag)) { text in
            Tag(text: text).flatMap { LoyaltySchema.schema.tagKinds[$0.kind]?.isIndexed == true ? $0 : nil }
        }
        let type = try request.parameter("type", .form(.eventType)) { name in
            LoyaltySchema.schema.types.first { $0.value == name }?.key
        }
        let item = QueryItem(types: type.map { [$0] } ?? [], tags: tag.map { [$0] } ?? [])
        isWalk = tag == nil && type != nil
        query = tag == nil && type == nil ? .all : .items([item])
        list = "events of \(tag?.text ?? "any tag") and \(type.map { "\($0.rawValue)" } ?? "any type")"
    }
}

/// An event for operators: sealed fields as sealed bytes, codes and phones as keyed hashes.
struct FactAnswer: JSONWritable {
    let fact: Fact

    func write(to json: inout JSONWriter) { json.value(written: FactText.json(fact)) }
}
