import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes of an account's sessions: listing them, and ending one.
struct MySessionRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [.get("/v1/me/sessions", sessions), .delete("/v1/me/sessions/{id}", end)]
    }

    /// All fit on one page: about ``Loyalty/Limits/openSessionsMax``, or a few more from before this limit.
    private func sessions(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let items = try resources.service.openSessions(of: bearer.account, through: shown).map { session in
            MySessionAnswer(session: session, sighting: resources.gate.sightings[session.id], isCurrent: session.id == bearer.session)
        }
        return Response.ok(Page(items: items, next: nil)).unstored().showing(shown)
    }

    private func end(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let session = try context.id(Session.self)
        // The decision refuses another account's session with `notFound`.
        let caller = write.caller("DELETE /v1/me/sessions", session)
        let acceptance = try await resources.service.submit(.endSession(EndSession(session: session)), by: caller)
        resources.gate.end(session)
        let answer = Response.done(acceptance)
        return session == write.bearer.session ? answer.signedOut(request) : answer
    }
}

struct MySessionAnswer: JSONRecord {
    let session: Session
    let sighting: Sightings.Sighting?
    let isCurrent: Bool

    var fields: JSONFields {
        [
            "id": session.id, "startedAt": session.startedAt, "lastSeenAt": max(session.refreshedAt, sighting?.at ?? session.refreshedAt),
            "device": sighting?.device, "isCurrent": isCurrent,
        ]
    }
}
