import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// Routes of saved searches. Nobody else's search exists for an account.
struct SearchRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/me/searches", save), .get("/v1/me/searches", list), .patch("/v1/me/searches/{id}", edit),
            resources.act(.delete, "/v1/me/searches/{id}", counting: .searchChanges) {
                .search(.remove(RemoveSearch(search: try $0.id())))
            },
            resources.act(.put, "/v1/me/searches/{id}/seen", counting: .searchChanges) {
                .search(.see(SeeSearch(search: try $0.id())))
            },
        ]
    }

    private func save(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let (terms, alerts) = try await request.json { fields in (fields.searchTerms(), fields.flag("alert")) }
        try terms.check()
        var canonical = CanonicalRequest("POST /v1/me/searches")
        terms.add(to: &canonical)
        canonical.add(alerts ? 1 : 0 as UInt64)
        let caller = write.caller(canonical)
        let acceptance = try await resources.counted(.searchChanges, by: caller) {
            try await resources.service.saveSearch(terms, alerts: alerts, by: caller)
        }
        guard let fact = acceptance.facts.last, let saved = SavedSearch(opening: fact) else { throw Resources.missingFact(acceptance) }
        return .written(.created, for: acceptance, saved.fields(terms))
    }

    /// All of them, the newest first: there are at most fifty. Counting news costs a search each, until the rows of a request are used up.
    private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Searches.name, Discovery.name)
        return try await resources.withSearchSlot(context) {
            var rows = 0
            let items = try await resources.service.models.searches.searches(of: bearer.account).mapInTurns { saved -> JSONFields? in
                guard let terms = try resources.service.terms(of: saved) else { return nil }
                guard rows < Limits.newsRowsMax else { return saved.fields(terms) + ["newCount": 0, "hasMoreNew": true] }
                let news = try resources.service.news(of: saved, with: terms, limit: Limits.newsCounted)
                rows += news.looks
                return saved.fields(terms) + ["newCount": news.campaigns.count, "hasMoreNew": news.hasMore]
            }
            context.cost.addSearch(found: items.count, looks: rows)
            return Response.ok(["items": items.compactMap(\.self), "next": String?.none] as JSONFields).unstored()
        }
    }

    /// Absent fields stay as they are; null clears one.
    private func edit(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(SavedSearch.self)
        let edit = try await request.json(SearchEdit.init)
        var canonical = CanonicalRequest("PATCH /v1/me/searches", id)
        edit.add(to: &canonical)
        let caller = write.caller(canonical)
        if let known = try resources.service.reading({ try $0.search(id) }), known.account == write.account,
            let held = try resources.service.terms(of: known)
        {
            try edit.applied(to: held).check()
        }
        let acceptance = try await resources.counted(.searchChanges, by: caller) {
            try await resources.service.editSearch(id, by: caller) { terms, alerts in
                terms = edit.applied(to: terms)
                return edit.alerts ?? alerts
            }
        }
        let shown = try resources.existing(through: acceptance.position) { try $0.search(id) }
        guard let terms = try resources.service.terms(of: shown) else { throw Problem(.notFound) }
        return .written(.ok, for: acceptance, shown.fields(terms))
    }
}

/// The changes of a `PATCH`.
struct SearchEdit: Sendable {
    let terms: SearchTerms
    /// The names of the terms that the request has, with null for one to be cleared.
    private let named: Set<String>
    let alerts: Bool?

    init(_ fields: inout FieldReader) {
        named = Set(SearchTerms.names.filter { [object = fields.object] in object.field($0) != nil })
        terms = fields.searchTerms(isEdit: true)
        alerts = fields.optionalFlag("alert")
    }

    func applied(to held: SearchTerms) -> SearchTerms {
        var edited = held
        if named.contains("name") { edited.name = terms.name }
        if named.contains("q") { edited.text = terms.text }
        if named.contains("near") { (edited.near, edited.radius) = (terms.near, terms.near == nil ? nil : held.radius) }
        if named.contains("radius") { edited.radius = terms.radius }
        if edited.near != nil { edited.radius = edited.radius ?? SearchLimits.radiusMetersDefault }
        if named.contains("kind") { edited.kind = terms.kind }
        if named.contains("minRating") { edited.minRating = terms.minRating }
        if named.contains("open") { edited.isOpen = terms.isOpen }
        return edited
    }

    func add(to request: inout CanonicalRequest) {
        for name in named.sorted() { request.add(name) }
        terms.add(to: &request)
        request.add(alerts.map { $0 ? 1 : 0 })
    }
}

extension SearchTerms {
    fileprivate static let names = ["name", "q", "near", "radius", "kind", "minRating", "open"]

    /// - Throws: `invalidRequest`.
    fileprivate func check() throws(Problem) {
        if let name { try Limits.searchName.check(name, "name") }
        if radius != nil, near == nil { throw .invalid("radius", .needsNear) }
    }

    fileprivate func add(to request: inout CanonicalRequest) {
        request.add(name)
        request.add(text)
        for number in [near?.latitude, near?.longitude, radius] { request.add(number.map { "\($0)" }) }
        request.add(kind?.rawValue)
        request.add(minRating)
        request.add(isOpen ? 1 : 0 as UInt64)
    }
}

extension FieldReader {
    /// With the usual radius around a place that has none, unless it is an edit.
    fileprivate mutating func searchTerms(isEdit: Bool = false) -> SearchTerms {
        let near = place()
        let range = SearchLimits.radiusMeters
        let radius = optionalDouble("radius")
        if let radius { require(range.contains(radius), "radius", .metres(Int(range.lowerBound)...Int(range.upperBound))) }
        let text = optionalString("q").flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        if let text, text.unicodeScalars.count > SearchLimits.queryCharactersMax {
            complain("q", .charactersAbove(SearchLimits.queryCharactersMax))
        }
        let kind = optionalString("kind").flatMap { text -> CampaignKind? in
            let kind = CampaignKind(rawValue: text)
            if kind == nil { complain("kind", .oneOf(CampaignKind.allCases.map(\.rawValue))) }
            return kind
        }
        let minRating = optionalDouble("minRating").flatMap { stars -> MinRating? in
            let rating = MinRating(stars: stars)
            if rating == nil { complain("minRating", .stars(MinRating.stars)) }
            return rating
        }
        return SearchTerms(
            name: optionalString("name"), text: text, near: near,
            radius: radius ?? (near == nil || isEdit ? nil : SearchLimits.radiusMetersDefault), kind: kind,
            minRating: minRating?.tenThousandths, isOpen: optionalFlag("open") ?? false)
    }

    private mutating func place() -> Coordinate? {
        guard let content = object.field("near") else { return nil }
        if case .null = content { return nil }
        let place = object("near", FieldReader.coordinate)
        if !place.isOnEarth { complain("near", .rule(.notOnEarth)) }
        return place
    }
}

extension SavedSearch {
    func fields(_ terms: SearchTerms) -> JSONFields {
        let found: JSONFields = [
            "id": id, "name": terms.name, "q": terms.text, "near": terms.near, "radius": terms.radius, "kind": terms.kind?.rawValue,
        ]
        return found + [
            "minRating": terms.minRating.map { Double($0) / 10_000 }, "open": terms.isOpen, "alert": alerts, "savedAt": savedAt,
            "seenAt": seenAt,
        ]
    }
}
