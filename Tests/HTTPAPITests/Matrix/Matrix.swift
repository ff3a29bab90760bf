import HTTPTypes
import Testing

/// The table of access rights in the service contract. The columns are none, customer, other shop's owner, staff, owner and operator; a
/// manager has the rights of staff unless the row says otherwise.
///
/// 401 means that the caller is not signed in. 403 means that the caller may know of the resource, but may not do this. 404 means that
/// the caller may not even know of it. A row whose operation is not built yet is skipped.
enum Matrix {
    static let rows = signingIn + me + discovering + collecting + keepingShop + reviewing + operating

    private static let anyone: [Int?] = [200, 200, 200, 200, 200, 200]
    private static let anySignedIn: [Int?] = [401, 200, 200, 200, 200, 200]
    private static let anySignedInDone: [Int?] = [401, 204, 204, 204, 204, 204]
    private static let operatorDone: [Int?] = [401, 403, 403, 403, 403, 204]

    private static let signingIn = [
        Row("POST /v1/verifications", [202, 202, 202, 202, 202, 202]) { .init("/v1/verifications", #"{"phone":"\#($0.phone())"}"#) },
        Row("POST /v1/sessions", [201, 201, 201, 201, 201, 201]) {
            let phone = $0.phone()
            return .init("/v1/sessions", #"{"phone":"\#(phone)","code":"\#(try await $0.verification(of: phone))"}"#)
        },
        Row("POST /v1/sessions/refresh", [201, 201, 201, 201, 201, 201]) {
            let token = try await $0.somebody(.customer).refreshToken!
            return .init("/v1/sessions/refresh", #"{"refreshToken":"\#(token)"}"#)
        },
        Row("DELETE /v1/sessions/current", anySignedInDone, "/v1/sessions/current"),
        Row("DELETE /v1/sessions", anySignedInDone, "/v1/sessions"),
    ]

    private static let me = [
        Row("GET /v1/me", anySignedIn, "/v1/me"),
        Row("PATCH /v1/me", anySignedIn) { _ in .init("/v1/me", #"{"nickname":"小绿"}"#) },
        // A first password requires a code, and these requests have none. Another test sets a password with a code.
        Row("PUT /v1/me/password", [401, 400, 400, 400, 400, 400]) { _ in .init("/v1/me/password", #"{"new":"correct horse"}"#) },
        Row("DELETE /v1/me/password", anySignedInDone, "/v1/me/password"),
        Row("PUT /v1/me/phone", anySignedIn) {
            let phone = $0.phone()
            return .init("/v1/me/phone", #"{"phone":"\#(phone)","code":"\#(try await $0.verification(of: phone))"}"#)
        },
        // An operator first requests a new phone number for the customer, so only the customer has a change to delete.
        Row("DELETE /v1/me/phone/change", [401, 204, 404, 404, 404, 404]) { scene in
            _ = try await scene.somebody(.operator).put("/v1/admin/accounts/\(scene.cast.customer.account)/phone", scene.lostPhone())
            return .init("/v1/me/phone/change")
        },
        Row("GET /v1/me/sessions", anySignedIn, "/v1/me/sessions"),
        Row("DELETE /v1/me/sessions/{id}", [401, 204, 404, 404, 404, 404]) {
            let token = try await $0.somebody(.customer).refreshToken!
            return .init("/v1/me/sessions/\(token.prefix { $0 != "." })")
        },
        Row("GET /v1/me/export", anySignedIn, "/v1/me/export"),
        Row("DELETE /v1/me", anySignedInDone, "/v1/me"),
        Row("GET /v1/me/cards", anySignedIn, "/v1/me/cards"),
        Row("GET /v1/me/favorites", anySignedIn, "/v1/me/favorites"),
        Row("GET /v1/me/notices", anySignedIn, "/v1/me/notices"),
        Row("PUT /v1/me/notices/{id}/read", anySignedInDone) { .init("/v1/me/notices/\(try await $0.notice())/read") },
        Row("GET /v1/me/mutes", anySignedIn, "/v1/me/mutes"),
        Row("GET /v1/me/searches", anySignedIn, "/v1/me/searches"),
        Row("POST /v1/me/searches", [401, 201, 201, 201, 201, 201]) { _ in .init("/v1/me/searches", #"{"alert":false}"#) },
        Row("PATCH /v1/me/searches/{id}", [401, 404, 404, 404, 404, 404]) { _ in
            .init("/v1/me/searches/srch_01hv5x0000e008000000000000", #"{"alert":true}"#)
        },
        Row("DELETE /v1/me/searches/{id}", [401, 404, 404, 404, 404, 404], "/v1/me/searches/srch_01hv5x0000e008000000000000"),
        Row("PUT /v1/me/searches/{id}/seen", [401, 404, 404, 404, 404, 404], "/v1/me/searches/srch_01hv5x0000e008000000000000/seen"),
        Row("PUT /v1/me/mutes/{shop}", anySignedInDone) { .init("/v1/me/mutes/\($0.shop)") },
        Row("DELETE /v1/me/mutes/{shop}", anySignedInDone) { .init("/v1/me/mutes/\($0.shop)") },
        Row("GET /v1/me/changes", anySignedIn, "/v1/me/changes"),
        Row("GET /v1/me/badge", anySignedIn, "/v1/me/badge"),
        Row("GET /v1/me/shops", anySignedIn, "/v1/me/shops"),
        Row("GET /v1/me/statistics", anySignedIn, "/v1/me/statistics"),
        Row("GET /v1/me/invitations", anySignedIn, "/v1/me/invitations"),
        // The invitation belongs to the customer, and no other role may know of it.
        Row("POST /v1/me/invitations/{id}/acceptance", [401, 204, 404, 404, 404, 404]) {
            .init("/v1/me/invitations/\(try await $0.invitation())/acceptance")
        },
        Row("DELETE /v1/me/invitations/{id}", [401, 204, 404, 404, 404, 404]) {
            .init("/v1/me/invitations/\(try await $0.invitation())")
        },
        Row("DELETE /v1/me/employments/{shop}", [401, 204, 204, 204, 403, 204]) { .init("/v1/me/employments/\($0.shop)") },
        Row("POST /v1/feedback", [401, 202, 202, 202, 202, 202]) { _ in .init("/v1/feedback", #"{"text":"好用"}"#) },
        // Another test covers the stream, which does not end.
        Row("GET /v1/me/events", [401, nil, nil, nil, nil, nil], "/v1/me/events"),
    ]

    private static let discovering = [
        Row("GET /v1/campaigns", anyone, "/v1/campaigns"),
        Row("GET /v1/campaigns/{id}", anyone) { .init("/v1/campaigns/\($0.campaign)") },
        Row("GET /v1/shops", anyone, "/v1/shops"),
        Row("GET /v1/shops/{id}", anyone) { .init("/v1/shops/\($0.shop)") },
        Row("PUT /v1/campaigns/{id}/favorite", anySignedInDone) { .init("/v1/campaigns/\($0.campaign)/favorite") },
        Row("DELETE /v1/campaigns/{id}/favorite", anySignedInDone) { .init("/v1/campaigns/\($0.campaign)/favorite") },
        // The body is not a picture, so every role that is signed in gets 415.
        Row("POST /v1/images", [401, 415, 415, 415, 415, 415]) { _ in .init("/v1/images", "no picture") },
        Row("GET /v1/images/{id}", [404, 404, 404, 404, 404, 404], "/v1/images/img_00000000000000000000000000"),
        // The picture belongs to the owner, and the shop shows it.
        Row("DELETE /v1/images/{id}", [401, 403, 403, 403, 204, 204]) { .init("/v1/images/\(try await $0.picture())") },
    ]

    private static let collecting = [
        Row("POST /v1/stamps", [401, 201, 201, 403, 403, 201]) { scene in
            .init("/v1/stamps", #"{"code":"\#(try await scene.stampCode().code)"}"#, headers: [.idempotencyKey: "stamp"])
        },
        Row("POST /v1/me/paper-cards", [401, 201, 201, 403, 403, 201]) {
            .init("/v1/me/paper-cards", #"{"code":"\#(try await $0.paper())"}"#, headers: [.idempotencyKey: "take"])
        },
        Row("GET /v1/me/paper-cards/{code}", [401, 200, 200, 200, 200, 200]) { .init("/v1/me/paper-cards/\(try await $0.paper())") },
        Row("POST /v1/campaigns/{id}/coupon", [401, 201, 201, 403, 403, 201]) {
            .init("/v1/campaigns/\(try await $0.coupons())/coupon")
        },
        Row("GET /v1/cards/{id}", [401, 200, 404, 404, 404, 404]) { .init("/v1/cards/\(try await $0.card())") },
        Row("DELETE /v1/cards/{id}", [401, 204, 404, 404, 404, 404]) { .init("/v1/cards/\(try await $0.card())") },
        Row("POST /v1/cards/{id}/redemption", [401, 201, 404, 404, 404, 404]) {
            .init("/v1/cards/\(try await $0.fullCard())/redemption")
        },
        Row("GET /v1/redemptions/{id}", [401, 200, 404, 200, 200, 404]) { .init("/v1/redemptions/\(try await $0.redemption().id)") },
        Row("GET /v1/stamps/{position}/receipt", [401, 200, 404, 404, 404, 404]) {
            .init("/v1/stamps/\(try await $0.position())/receipt")
        },
    ]

    private static let keepingShop = [
        Row("POST /v1/shops", [401, 201, 201, 201, 201, 201]) { _ in .init("/v1/shops", Cast.shopBody) },
        Row("PATCH /v1/shops/{id}", [401, 403, 403, 403, 200, 403]) {
            .init("/v1/shops/\($0.shop)", #"{"phone":"+861087654321"}"#, headers: [.ifMatch: "*"])
        },
        Row("GET /v1/shops/{id}/staff", [401, 403, 403, 403, 200, 403], manager: 200) { .init("/v1/shops/\($0.shop)/staff") },
        Row("PUT /v1/shops/{id}/staff/{account}", [401, 403, 403, 403, 202, 403]) {
            .init("/v1/shops/\($0.shop)/staff/\(try await $0.visitor.signedIn($0.phone()).account)")
        },
        Row("PATCH /v1/shops/{id}/staff/{account}", [401, 403, 403, 403, 204, 403], manager: 204) {
            .init("/v1/shops/\($0.shop)/staff/\($0.staff)", #"{"label":"阿美"}"#)
        },
        Row("DELETE /v1/shops/{id}/staff/{account}", [401, 403, 403, 403, 204, 403]) {
            .init("/v1/shops/\($0.shop)/staff/\($0.staff)")
        },
        Row("GET /v1/shops/{id}/invitations", [401, 403, 403, 403, 200, 403]) { .init("/v1/shops/\($0.shop)/invitations") },
        Row("POST /v1/shops/{id}/invitations", [401, 403, 403, 403, 202, 403]) {
            .init("/v1/shops/\($0.shop)/invitations", #"{"phone":"\#($0.phone())"}"#)
        },
        Row("DELETE /v1/shops/{id}/invitations/{invitation}", [401, 403, 403, 403, 204, 403]) {
            .init("/v1/shops/\($0.shop)/invitations/\(try await $0.invitation())")
        },
        Row("POST /v1/shops/{id}/transfer", [401, 403, 403, 403, 202, 403]) {
            .init("/v1/shops/\($0.shop)/transfer", #"{"phone":"\#($0.phone())"}"#)
        },
        Row("DELETE /v1/shops/{id}/transfer", [401, 403, 403, 403, 204, 403]) { .init("/v1/shops/\($0.shop)/transfer") },
        Row("POST /v1/shops/{id}/campaigns", [401, 403, 403, 403, 201, 403], manager: 201) {
            .init("/v1/shops/\($0.shop)/campaigns", Cast.campaignBody())
        },
        Row("PATCH /v1/campaigns/{id}", [401, 403, 403, 403, 200, 403], manager: 200) {
            .init("/v1/campaigns/\($0.campaign)", #"{"title":"Two for one"}"#, headers: [.ifMatch: "*"])
        },
        Row("POST /v1/campaigns/{id}/end", [401, 403, 403, 403, 200, 403], manager: 200) { .init("/v1/campaigns/\($0.campaign)/end") },
        Row("POST /v1/campaigns/{id}/codes", [401, 403, 403, 201, 201, 403]) { .init("/v1/campaigns/\($0.campaign)/codes", "{}") },
        Row("GET /v1/codes/{id}", [401, 404, 404, 200, 200, 404]) { .init("/v1/codes/\(try await $0.stampCode().id)") },
        // The owner issued the code. Counter staff may destroy only the codes that they issued.
        Row("DELETE /v1/codes/{id}", [401, 404, 404, 403, 204, 404], manager: 204) { .init("/v1/codes/\(try await $0.stampCode().id)") },
        Row("POST /v1/redemptions/preview", [401, 403, 422, 200, 200, 403]) {
            .init("/v1/redemptions/preview", #"{"code":"\#(try await $0.redemption().code)"}"#)
        },
        Row("POST /v1/redemptions", [401, 403, 422, 201, 201, 403]) {
            .init("/v1/redemptions", #"{"code":"\#(try await $0.redemption().code)"}"#, headers: [.idempotencyKey: "redeem"])
        },
        // The holder of the card may see the redemption but not reverse it. The roles with 404 may not learn that the redemption exists.
        Row("POST /v1/redemptions/{id}/reversal", [401, 403, 404, 200, 200, 404]) {
            .init("/v1/redemptions/\(try await $0.redeemed())/reversal", #"{"reason":"The wrong card"}"#)
        },
        // The holder of the card may see the stamp but not reverse it. The roles with 404 may not learn that the stamp exists.
        Row("POST /v1/stamps/{position}/reversal", [401, 403, 404, 200, 200, 404]) {
            .init("/v1/stamps/\(try await $0.position())/reversal", #"{"reason":"Refunded"}"#)
        },
        Row("POST /v1/campaigns/{id}/reopening", [401, 403, 403, 403, 200, 403], manager: 200) {
            .init("/v1/campaigns/\($0.campaign)/reopening")
        },
        Row("POST /v1/shops/{id}/closing", [401, 403, 403, 403, 200, 403]) { .init("/v1/shops/\($0.shop)/closing") },
        Row("POST /v1/campaigns/{id}/stamps", [401, 403, 403, 201, 201, 403]) {
            .init("/v1/campaigns/\($0.campaign)/stamps", #"{"phone":"\#($0.phone())"}"#, headers: [.idempotencyKey: "give"])
        },
        Row("POST /v1/shops/{id}/paper-cards", [401, 403, 403, 403, 201, 403], manager: 201) {
            .init(
                "/v1/shops/\($0.shop)/paper-cards", #"{"campaign":"\#($0.campaign)","count":1}"#,
                headers: [.idempotencyKey: "paper", .accept: "application/json"])
        },
        Row("GET /v1/shops/{id}/codes", [401, 403, 403, 403, 200, 403], manager: 200) { .init("/v1/shops/\($0.shop)/codes") },
        Row("DELETE /v1/shops/{id}/codes", [401, 403, 403, 204, 204, 403]) { .init("/v1/shops/\($0.shop)/codes?staff=\($0.staff)") },
        Row("GET /v1/shops/{id}/activity", [401, 403, 403, 200, 200, 403]) { .init("/v1/shops/\($0.shop)/activity") },
        Row("GET /v1/shops/{id}/stamps", [401, 403, 403, 200, 200, 403]) { .init("/v1/shops/\($0.shop)/stamps") },
        Row("GET /v1/shops/{id}/redemptions", [401, 403, 403, 200, 200, 403]) { .init("/v1/shops/\($0.shop)/redemptions") },
        Row("GET /v1/shops/{id}/statistics", [401, 403, 403, 403, 200, 403], manager: 200) { .init("/v1/shops/\($0.shop)/statistics") },
        Row("GET /v1/shops/{id}/digest", [401, 403, 403, 403, 200, 403], manager: 200) { .init("/v1/shops/\($0.shop)/digest") },
        Row("GET /v1/shops/{id}/analytics", [401, 403, 403, 403, 200, 403], manager: 200) { .init("/v1/shops/\($0.shop)/analytics") },
        Row("GET /v1/shops/{id}/customers", [401, 403, 403, 403, 200, 403], manager: 200) { .init("/v1/shops/\($0.shop)/customers") },
    ]

    private static let reviewing = [
        Row("GET /v1/shops/{id}/reviews", anyone) { .init("/v1/shops/\($0.shop)/reviews") },
        Row("POST /v1/shops/{id}/reviews", [401, 201, 201, 403, 403, 201]) { .init("/v1/shops/\($0.shop)/reviews", #"{"rating":5}"#) },
        Row("POST /v1/reviews/{id}/replies", [401, 201, 201, 201, 201, 201]) {
            .init("/v1/reviews/\(try await $0.review())/replies", #"{"text":"谢谢"}"#)
        },
        Row("DELETE /v1/reviews/{id}", [401, 204, 403, 403, 403, 204]) { .init("/v1/reviews/\(try await $0.review())") },
    ]

    private static let operating = [
        Row("GET /checkpoint", anyone, "/checkpoint"),
        Row("GET /v1/erasures/{position}/receipt", anyone) { scene in
            let gone = try await scene.visitor.signedIn(scene.phone())
            let position = try await gone.delete("/v1/me").position ?? 0
            return .init("/v1/erasures/\(position)/receipt?account=\(gone.account)")
        },
        Row("GET /tile/{path}", anyone) { scene in
            // Asking for a receipt publishes the tile that proves the stamp.
            _ = try await scene.cast.customer.get("/v1/stamps/\(try await scene.position())/receipt")
            return .init("/tile/0/000.p/1")
        },
        Row("POST /v1/notices", [401, 403, 403, 403, 403, 201]) { _ in .init("/v1/notices", Scene.notice) },
        Row("GET /v1/notices/scheduled", anySignedIn, "/v1/notices/scheduled"),
        Row("DELETE /v1/notices/{id}", [401, 404, 404, 404, 404, 204]) { .init("/v1/notices/\(try await $0.scheduledNotice())") },
        Row("POST /v1/admin/cards/{id}/adjustments", [401, 403, 403, 403, 403, 201]) {
            .init("/v1/admin/cards/\(try await $0.card())/adjustments", #"{"stamps":-1,"reason":"Stamped twice"}"#)
        },
        Row("POST /v1/admin/shops/{id}/suspension", operatorDone) {
            .init("/v1/admin/shops/\($0.shop)/suspension", #"{"reason":"Complaints"}"#)
        },
        Row("DELETE /v1/admin/shops/{id}/suspension", operatorDone) { .init("/v1/admin/shops/\($0.shop)/suspension") },
        Row("GET /v1/admin/shops/{id}/suspension", [401, 403, 403, 403, 403, 200]) { scene in
            let shop = try await scene.visitor.signedIn(scene.phone()).post("/v1/shops", Cast.shopBody).string("id")
            let path = "/v1/admin/shops/\(shop)/suspension"
            _ = try await scene.somebody(.operator).post(path, #"{"reason":"Complaints"}"#)
            return .init(path)
        },
        Row("GET /v1/admin/accounts/{id}/suspension", [401, 403, 403, 403, 403, 200]) { scene in
            let path = "/v1/admin/accounts/\(try await scene.visitor.signedIn(scene.phone()).account)/suspension"
            _ = try await scene.somebody(.operator).put(path, #"{"reason":"Sells codes"}"#)
            return .init(path)
        },
        Row("POST /v1/admin/accounts/search", [401, 403, 403, 403, 403, 200]) {
            .init("/v1/admin/accounts/search", #"{"phone":"\#($0.phone())"}"#)
        },
        Row("PUT /v1/admin/accounts/{id}/suspension", operatorDone) {
            let account = try await $0.visitor.signedIn($0.phone()).account
            return .init("/v1/admin/accounts/\(account)/suspension", #"{"reason":"Sells codes"}"#)
        },
        Row("DELETE /v1/admin/accounts/{id}/suspension", operatorDone) {
            .init("/v1/admin/accounts/\(try await $0.visitor.signedIn($0.phone()).account)/suspension")
        },
        Row("PUT /v1/admin/accounts/{id}/phone", [401, 403, 403, 403, 403, 200]) {
            .init("/v1/admin/accounts/\($0.cast.customer.account)/phone", $0.lostPhone())
        },
        Row("GET /v1/admin/audit", [401, 403, 403, 403, 403, 200], "/v1/admin/audit"),
        Row("GET /v1/admin/feedback", [401, 403, 403, 403, 403, 200], "/v1/admin/feedback"),
        Row("GET /v1/admin/events", [401, 403, 403, 403, 403, 200], "/v1/admin/events"),
        Row("GET /healthz", anyone, "/healthz"),
        Row("GET /readyz", anyone, "/readyz"),
        Row("GET /metrics", anyone, "/metrics"),
        Row("GET /c/{id}", anyone) { .init("/c/\($0.campaign)") },
        Row("GET /s/{id}", anyone) { .init("/s/\($0.shop)") },
        Row("GET /s/{id}/feed.atom", anyone) { .init("/s/\($0.shop)/feed.atom") },
        Row("GET /feed.atom", anyone, "/feed.atom?near=31.2304,121.4737"),
        Row("GET /r/{id}", anyone, "/r/K7QF2M9X"),
        Row("GET /b/{id}", anyone, "/b/\(String(repeating: "A", count: 64))"),
        Row("GET /p/{id}", anyone, "/p/K7QF2M9X0R3T8WBN"),
        Row("GET /openapi.yaml", anyone, "/openapi.yaml"),
        Row("GET /openapi.json", anyone, "/openapi.json"),
        Row("GET /docs", anyone, "/docs"),
    ]
}
