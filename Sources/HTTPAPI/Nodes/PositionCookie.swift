import Composition
import EventLog
import HTTPTypes
import Hummingbird

/// The position of a browser's last write, so that whichever node answers next has that write, and knows a session that has just begun.
enum PositionCookie {
    static let name = "__Host-greentea-position"

    /// Nil for a forged one, for which a request would wait: no node that serves lags that much.
    static func position(in request: Request, of log: EventLog) -> Position? {
        let found = request.cookies(named: name)
        guard found.count == 1, let position = Position(decimal: String(found[0])) else { return nil }
        return position.rawValue > log.head.rawValue + Limits.readyLagEventsMax ? nil : position
    }
}

extension Route {
    /// The route as it answers browsers that may have had another node before.
    func followingBrowsers(of resources: Resources, _ peers: NodePeers) -> Route {
        guard RateMiddleware.isOfAPI(path) else { return self }
        let log = resources.service.log
        return Route(method: method, path: path) { request, context in
            // Another node has the browser.
            guard NodeHop.current == nil else { return try await handler(request, context) }
            guard method == .get else {
                let response = try await handler(request, context)
                return peers.areKnown ? response.remembered(by: request, of: log) : response
            }
            if let position = PositionCookie.position(in: request, of: log), log.head < position, peers.areWriting {
                // After the timeout, an older page is better than none.
                _ = try? await log.headSignal.reached(position, timeoutSeconds: Limits.forwardedCatchUpSeconds)
            }
            return try await handler(request, context)
        }
    }
}

extension Response {
    fileprivate func remembered(by request: Request, of log: EventLog) -> Response {
        guard status.kind == .successful, request.hasSessionCookie || headers[.setCookie] != nil else { return self }
        let written = headers[.greenTeaPosition].flatMap { Position(decimal: $0) } ?? log.head
        // A repeated answer names its first position.
        let newest = max(written, PositionCookie.position(in: request, of: log) ?? written)
        var response = self
        response.headers.append(.cookie(PositionCookie.name, "\(newest)", seconds: Limits.positionCookieSeconds))
        return response
    }
}
