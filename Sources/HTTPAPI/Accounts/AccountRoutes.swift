import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import PhoneNumbers
import ReadModels

/// Routes of an account about itself: profile, cards, password, export and erasure.
struct AccountRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/me", me), .get("/v1/me/cards", cards), .patch("/v1/me", edit), .put("/v1/me/password", setPassword),
            // Open sessions continue; signing in then needs a code.
            resources.act(.delete, "/v1/me/password") { _ in .removePassword(RemovePassword()) }, .get("/v1/me/export", export),
            .delete("/v1/me", erase),
        ]
    }

    private var service: GreenTea { resources.service }

    private func me(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let answer = try resources.accountAnswer(bearer.account, through: shown)
        return Response.ok(answer, version: answer.version, to: request).showing(shown)
    }

    private func cards(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let size = try PageRequest(request)
        let statuses = try Self.statuses(request)
        let page = try resources.page(size, of: "cards of " + bearer.account.text)
        try await resources.awaitPosition(of: request, by: bearer.account, in: CardProgress.name)
        let reached = resources.service.models.position(of: CardProgress.name)
        // One moment for filter and answer, so that no card has a status that the request left out.
        let now = resources.now
        let found = try resources.service.models.cards.cards(
            of: bearer.account, statuses: statuses, at: now, before: page.position, limit: page.limit)
        let shown = max(reached, found.position)
        let items = try resources.listed(found.cards, through: shown, at: now)
        return Response.ok(page.answer(items, next: found.next)).showing(shown)
    }

    /// By default, those in which a card can still be used.
    private static func statuses(_ request: Request) throws(Problem) -> Set<CardStatus> {
        let all = Dictionary(uniqueKeysWithValues: CardStatus.allCases.map { ($0.text, $0) })
        let named = try request.parameter("status", .someOf(CardStatus.allCases.map(\.text))) { text -> Set<CardStatus>? in
            let statuses = text.split(separator: ",", omittingEmptySubsequences: false).map { all[String($0)] }
            return statuses.contains(nil) ? nil : Set(statuses.compactMap(\.self))
        }
        return named ?? [.collecting, .full]
    }

    /// `If-Match` is optional, because only the holder edits a profile.
    private func edit(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let body = try await request.json(ProfileRequest.init)
        try body.check(now: resources.now)
        let sender = RequestSender(write.caller(body.canonical))
        try await requireAvatar(body.draft, of: sender.caller)
        let expected = EntityTag.optional(in: request) ?? .any
        let acceptance = try await resources.counted(.profileEdits, by: sender.caller) {
            try await service.editProfile(body.draft, expecting: expected, by: sender.caller)
        }
        let time = resources.time(of: acceptance, by: sender)
        let answer = try resources.accountAnswer(write.account, through: acceptance.position, at: time)
        return Response.written(.ok, for: acceptance, answer).tagged(answer.version)
    }

    private func requireAvatar(_ draft: ProfileDraft, of caller: Caller) async throws {
        guard case .set(let avatar) = draft.avatar else { return }
        try await resources.requireNameable([avatar], in: "avatar", of: caller) {
            guard let account = try service.reading({ try $0.account(caller.account) }) else { return [] }
            return [try service.profile(of: account).avatar].compactMap { $0 }
        }
    }

    private func setPassword(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let body = try await request.json(PasswordRequest.init)
        // The canonical request leaves the passwords out: the log stores its fast hash, from which a password could be guessed.
        let caller = write.caller("PUT /v1/me/password")
        // The first request may have used up the code and not be accepted yet.
        try await resources.turns.begin(caller)
        defer { resources.turns.end(caller) }
        try requireProof(body, of: caller)
        let address = context.limitedAddress
        // Counted before the check, so that concurrent guesses cannot exceed the budget.
        try resources.budgets[.passwordChanges].take(write.account)
        do throws(Problem) {
            try resources.budgets.passwords.takeHashes(Limits.hashesOfPasswordChange, address, for: .account(write.account))
        } catch {
            resources.budgets[.passwordChanges].forgive(write.account)
            throw error
        }
        let proof: PasswordProof = body.code.map { .code($0, from: address?.site ?? .unknown) } ?? .current(body.current ?? "")
        let change = PasswordChange(to: body.new, proof, keeping: write.bearer.session)
        let acceptance: Acceptance
        do { acceptance = try await service.setPassword(change, by: caller) } catch {
            // Only a wrong password or code uses up the budget.
            if error != .rejected(.passwordNotValid) { resources.budgets[.passwordChanges].forgive(write.account) }
            throw error
        }
        resources.budgets[.passwordChanges].forgive(write.account)
        resources.dropSessions(endedBy: acceptance)
        return .done(acceptance)
    }

    /// Requires a code or the present password; not for a retry of an answered request.
    private func requireProof(_ body: PasswordRequest, of caller: Caller) throws {
        guard body.code == nil else { return }
        let hasPassword = try service.reading({ try $0.account(caller.account) })?.password != nil
        guard !hasPassword || body.current == nil, try !service.isAnswered(caller) else { return }
        guard hasPassword else { throw Problem.invalid("code", .requiredForFirstPassword) }
        throw Problem.invalid("current", .requiredCurrentPassword)
    }

    private func export(_ request: Request, _ context: APIContext) async throws -> Response {
        try resources.gate.requireOwnRead(request)
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitPosition(of: request)
        let slot = try resources.slots.exports.take()
        try resources.budgets[.exports].take(bearer.account)
        // Only the read model knows the notices that an account received. It must have caught up, because an export must be complete.
        try await resources.awaitHead(in: Notices.name)
        let writing = try ExportWriting(of: bearer.account, resources, slot)
        let body = ResponseBody { try await writing.run(&$0) }
        var response = Response(status: .ok, headers: [.contentType: ContentTypes.json], body: body).showing(writing.position).unstored()
        response.headers[.contentDisposition] = "attachment; filename=\"greentea-export.json\""
        return response
    }

    /// Ends the account's sessions as well, so a later retry gets 401. A concurrent retry gets the first answer.
    private func erase(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let proof = try await request.optionalJSON(HolderProofRequest.init)
        // The canonical request leaves the proof out, because the log must not contain a hash of a password.
        let caller = write.caller("DELETE /v1/me")
        // The first request may still be closing an owner's shops one by one.
        try await resources.turns.begin(caller)
        defer { resources.turns.end(caller) }
        let isProven = try service.hasBegunLately(write.bearer.session) || service.isAnswered(caller)
        let codes = try await isProven ? [] : prove(proof, by: write, context)
        let acceptance: Acceptance
        do throws(ServiceError) {
            // The closure runs even if destroying the data key fails, because the recorded event has already ended the sessions.
            acceptance = try await service.eraseAccount(by: caller) { [resources] in resources.dropSessions(endedBy: $0) }
        } catch {
            service.giveBack(codes, after: error)
            throw error
        }
        return Response.done(acceptance).signedOut(request)
    }

    /// Wrong codes and passwords use up the budgets of the sign-in.
    private func prove(
        _ proof: HolderProofRequest, by write: Write, _ context: APIContext
    ) async throws -> [Verifications.EnteredCode] {
        let account = write.account
        let (address, network) = (context.limitedAddress, context.limitedAddress?.site ?? .unknown)
        if let code = proof.code { return try await service.prove(.code(code, from: network), of: account) }
        guard let password = proof.password, let known = try service.reading({ try $0.account(account) }),
            let phone = try service.phone(of: known)
        else { throw Problem(.reauthenticationRequired) }
        let attempt = PasswordBudget.Attempt(phone: phone, address: address, isKnown: service.verifications.isKnown(network, to: phone))
        try resources.budgets.passwords.take(attempt)
        do {
            try resources.budgets.passwords.takeHashes(1, address, for: .account(account))
            _ = try await service.prove(.current(password), of: account)
        } catch {
            // Only a wrong password uses up the budget.
            if error as? ServiceError != .rejected(.passwordNotValid) { resources.budgets.passwords.forgive(attempt) }
            throw error
        }
        resources.budgets.passwords.forgive(attempt)
        return []
    }
}

/// An account as its owner sees it.
struct AccountAnswer: JSONRecord {
    let account: AccountID
    /// Nil for an erased account.
    let phone: String?
    /// A number that an operator requested and that is not yet in force.
    let comingPhone: ComingPhoneAnswer?
    let profile: OpenProfile
    /// The open shop that the account has owned for the longest time.
    let shop: ShopID?
    let isOperator: Bool
    let hasPassword: Bool
    /// For `If-Match`; changes only with the profile.
    let version: UInt64

    var fields: JSONFields { publicFields + ["hasPassword": hasPassword] }

    /// Without `hasPassword`, which an operator does not see.
    var publicFields: JSONFields {
        [
            "id": account, "phone": phone, "region": phone.flatMap { NumberingPlans.region(of: $0) }?.code,
            "phoneChange": IfPresent(comingPhone), "nickname": profile.nickname, "avatar": profile.avatar, "gender": profile.gender,
            "birthday": profile.birthday, "city": profile.city, "isMerchant": shop != nil, "shop": shop, "isOperator": isOperator,
        ]
    }
}

/// The body of `PATCH /me`: absent fields stay; null clears. The fields are checked here because they are sealed before they reach the log.
struct ProfileRequest {
    private static let genders = ["female", "male", "other"]

    private(set) var draft = ProfileDraft()
    /// As the client sent them; they identify a retry.
    private let sent: [FieldChange<String>]

    init(_ fields: inout FieldReader) {
        let names = ["nickname", "avatar", "gender", "birthday", "city"]
        sent = names.map { fields.change($0) }
        draft.nickname = Self.text(sent[0], Limits.nickname, "nickname", &fields)
        draft.avatar = Self.image(sent[1], &fields)
        draft.gender = sent[2]
        if case .set(let word) = sent[2] { fields.require(Self.genders.contains(word), "gender", .oneOf(Self.genders)) }
        draft.birthday = sent[3]
        if case .set(let text) = sent[3] {
            let day = CalendarDay(text: text)
            fields.require(day.map { $0 >= Limits.birthdayMin } ?? false, "birthday", .form(.birthday))
        }
        draft.city = Self.text(sent[4], Limits.city, "city", &fields)
    }

    /// - Throws: `invalidRequest` for a birthday in the future.
    func check(now: Instant) throws(Problem) {
        guard case .set(let text) = draft.birthday, let day = CalendarDay(text: text) else { return }
        // The present day in the time zone farthest ahead of UTC.
        let latest = CalendarDay(of: now.advanced(bySeconds: Limits.dayLeadSeconds))
        guard day <= latest else { throw .invalid("birthday", .future) }
    }

    var canonical: CanonicalRequest {
        var canonical = CanonicalRequest("PATCH /v1/me")
        for change in sent {
            switch change {
            case .unchanged: canonical.add(0 as UInt64)
            case .cleared: canonical.add(1 as UInt64)
            case .set(let text):
                canonical.add(2 as UInt64)
                canonical.add(text)
            }
        }
        return canonical
    }

    private static func text(
        _ change: FieldChange<String>, _ limit: TextLimit, _ name: String, _ fields: inout FieldReader
    ) -> FieldChange<String> {
        if case .set(let text) = change, let fault = limit.fault(in: text.asName) { fields.complain(name, .rule(fault)) }
        return change
    }

    private static func image(_ change: FieldChange<String>, _ fields: inout FieldReader) -> FieldChange<ImageID> {
        switch change {
        case .unchanged: return .unchanged
        case .cleared: return .cleared
        case .set(let text):
            let id = ImageID(text: text)
            fields.require(id != nil, "avatar", .form(.imageID))
            return id.map { .set($0) } ?? .unchanged
        }
    }
}

/// The optional body of `DELETE /me`.
struct HolderProofRequest {
    let code: String?
    let password: String?

    init(_ fields: inout FieldReader) { (code, password) = (fields.optionalString("code"), fields.optionalString("password")) }
}

struct PasswordRequest {
    let current: String?
    /// The code sent to the account's own number.
    let code: String?
    let new: String

    init(_ fields: inout FieldReader) {
        current = fields.optionalString("current")
        code = fields.optionalString("code")
        new = fields.string("new")
        if let fault = Limits.password.fault(in: new) { fields.complain("new", .rule(fault)) }
    }
}
