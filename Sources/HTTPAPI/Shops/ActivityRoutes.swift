import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import PhoneNumbers
import ReadModels

/// The route that lists all acts with codes, cards and rewards at a shop, and finds those of a card, a number, a code, a member or a day.
struct ActivityRoutes: RouteGroup {
    private static let searchingBit: UInt128 = 1 << 64
    private static let listShift: UInt128 = 65

    let resources: Resources

    var routes: [Route] { [.get("/v1/shops/{id}/activity", activity)] }

    /// `GET /shops/{id}/activity`. A look-up of a number is recorded each time, also for a further page.
    private func activity(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let shop = try await resources.shop(request, context, for: .counter)
        var sought = try Self.sought(request, at: shop)
        let phone = try Self.phone(request)
        let page = try resources.page(PageRequest(request), of: Self.list(request, of: shop))
        if resources.service.followsModel(sought) { try await resources.awaitHead(in: ActivityPlaces.name) }
        if let phone {
            let number = try resources.number(of: phone)
            try resources.budgets[.customerSearches].take(bearer.account)
            let caller = Caller(account: bearer.account)
            sought.holder = .account(try await resources.service.searchCustomer(number, at: shop.id, by: caller))
        }
        let found = try resources.service.activity(of: sought, before: page.place.map(Self.place), limit: page.limit)
        var rows = ActivityRows(at: shop, for: bearer.account, resources)
        let items = try await found.facts.mapInTurns { try rows.row($0) }
        return Response.ok(page.answer(items, next: found.next.map(Self.number))).unstored()
    }

    private static func place(_ number: UInt128) -> ActivityPlace {
        let position = Position(UInt64(truncatingIfNeeded: number))
        if number & searchingBit == 0 { return .before(position) }
        let list = UInt64(truncatingIfNeeded: number >> listShift)
        return .searching(position, list: list == 0 ? nil : Position(list))
    }

    private static func number(_ place: ActivityPlace) -> UInt128 {
        switch place {
        case .before(let position): UInt128(position.rawValue)
        case .searching(let position, let list):
            UInt128(position.rawValue) | searchingBit | UInt128(list?.rawValue ?? 0) << listShift
        }
    }

    /// - Throws: `invalidRequest` with all faults.
    private static func sought(_ request: Request, at shop: Shop) throws -> SoughtActs {
        var (sought, query) = (SoughtActs(at: shop), QueryReader(request))
        sought.days = try StatisticsRoutes.listedDays(request, of: shop)
        sought.member = try query.id("member", of: Account.self)
        sought.card = query.value("card", .form(.cardEnding)) { text in
            CardID(text: text).map { CardEnding(of: $0) } ?? CardEnding(typed: text)
        }
        sought.code = query.value("code", .form(.typedCode)) {
            ShownCode.code(in: $0, .stamp) ?? ShownCode.code(in: $0, .redemption)
        }
        sought.holder = query.value("customer", .form(.handle)) { text in
            text.utf8.count == Keys.handleSymbols ? .handle(text) : nil
        }
        if query.text("customer") != nil, query.text("phone") != nil { query.complain("phone", .customerOrPhone) }
        let kinds = ActivityKind.allCases.map(\.rawValue)
        sought.kinds =
            query.value("kinds", .someOf(kinds)) { text in
                let named = text.split(separator: ",", omittingEmptySubsequences: false).map { ActivityKind(rawValue: String($0)) }
                return named.contains(nil) ? nil : Set(named.compactMap(\.self))
            } ?? sought.kinds
        try query.verdict()
        return sought
    }

    private static func phone(_ request: Request) throws -> TypedPhone? {
        let query = QueryReader(request)
        guard let text = query.text("phone") else { return nil }
        let region = try request.parameter("region", .form(.region)) { PhoneRegion($0) }
        guard let typed = TypedPhone(text, region: region) else { throw PhoneField.refused }
        return typed
    }

    /// Makes a cursor valid for the same search only.
    private static func list(_ request: Request, of shop: Shop) -> String {
        let query = QueryReader(request)
        let names = ["from", "to", "timeZone", "customer", "card", "code", "phone", "region", "member", "kinds"]
        return "activity of \(shop.id.text)" + names.map { " \($0)=\(query.text($0) ?? "")" }.joined()
    }
}

/// The rows of one page, with each customer looked up once.
private struct ActivityRows {
    private let resources: Resources
    private let shop: Shop
    private let reader: AccountID
    private let past: LogPast<EventLog>
    private var authors: Authors
    private var labels: StaffLabels

    init(at shop: Shop, for reader: AccountID, _ resources: Resources) {
        (self.resources, self.shop, self.reader) = (resources, shop, reader)
        past = LogPast(resources.service.log)
        authors = Authors(at: shop, resources)
        labels = StaffLabels(at: shop.id, resources)
    }

    mutating func row(_ fact: Fact) throws -> JSONFields {
        let service = resources.service
        let (event, member) = (fact.event, try service.member(of: fact, in: past))
        var row: JSONFields = [
            "kind": ActivityKind(event)?.rawValue, "at": fact.time, "position": fact.position, "stamps": IfPresent(event.actStamps),
            "milestone": IfPresent(event.actMilestone), "card": IfPresent(event.card), "paper": IfPresent(event.paper?.id),
            "code": IfPresent(event.actCode), "customer": IfPresent(try event.customer.map { try authors.customer($0) }),
            "member": IfPresent(member), "campaign": IfPresent(event.campaign ?? event.actCampaign),
            "reason": IfPresent(try reason(of: event)),
        ]
        if let member { row = row + (try labels.fields(of: member)) }
        switch event {
        case .cardStamped(let event): row = try row + ofCode(event.code)
        case .paperStamped(let event): row = try row + ofCode(event.code)
        case .cardRedeemed(let event): row = try row + ofRedemption(event.redemption)
        case .milestoneRedeemed(let event): row = try row + ofRedemption(event.redemption)
        default: break
        }
        return row
    }

    private func ofCode(_ code: CodeID) throws -> JSONFields {
        let reversals = try newest([.stampReversed, .paperStampReversed], Tag(kind: .code, value: code.value))
        let (left, most) = (try past.code(code)?.stampsLeft, try resources.service.reversible(code, by: reader))
        let reversible: JSONFields? = most.map { ["stamps": $0.stamps, "until": $0.until] }
        return ["reversedAt": IfPresent(reversals?.time), "left": IfPresent(left), "reversible": IfPresent(reversible)]
    }

    private func ofRedemption(_ redemption: RedemptionID) throws -> JSONFields {
        let reversal = try newest([.redemptionReversed, .milestoneReversed], Tag(kind: .redemption, value: redemption.value))
        let until = try resources.service.reversible(redemption, by: reader)
        let reversible: JSONFields? = until.map { ["until": $0] }
        return ["redemption": redemption, "reversedAt": IfPresent(reversal?.time), "reversible": IfPresent(reversible)]
    }

    private func newest(_ types: [EventType], _ tag: Tag) throws -> Fact? {
        let query = Query.items([QueryItem(types: types, tags: [tag])])
        return try resources.service.log.events(matching: query, through: .max, backwards: true, limit: 1).first
            .map { try LoyaltyCodec.decode($0) }
    }

    private func reason(of event: LoyaltyEvent) throws -> String? {
        let service = resources.service
        return switch event {
        case .stampReversed(let event): try service.open(event.reason, about: event.holder)
        case .cardAdjusted(let event): try service.open(event.reason, about: event.holder)
        case .redemptionReversed(let event): try service.open(event.reason, about: event.holder)
        case .milestoneReversed(let event): try service.open(event.reason, about: event.holder)
        case .paperStampReversed(let event): try service.open(event.reason, about: event.shop.keyHolder)
        default: nil
        }
    }
}

extension LoyaltyEvent {
    /// Negative if the act took stamps off.
    fileprivate var actStamps: Int? {
        switch self {
        case .codeIssued(let event): event.stamps
        case .cardStamped(let event): event.stamps
        case .paperStamped(let event): event.stamps
        case .stampReversed(let event): -event.stamps
        case .paperStampReversed(let event): -event.stamps
        case .cardAdjusted(let event): event.stamps
        case .waitingCardTaken(let event): event.stamps
        case .paperCardTaken(let event): event.stamps
        default: nil
        }
    }

    /// The campaign of an act without a card.
    fileprivate var actCampaign: CampaignID? {
        switch self {
        case .codeIssued(let event): event.campaign
        case .codeDestroyed(let event): event.campaign
        case .paperStamped(let event): event.campaign
        case .paperCardTaken(let event): event.campaign
        case .paperStampReversed(let event): event.campaign
        default: nil
        }
    }

    fileprivate var actMilestone: Int? {
        switch self {
        case .milestoneRequested(let event): event.milestone
        case .milestoneRedeemed(let event): event.milestone
        case .milestoneReversed(let event): event.milestone
        default: nil
        }
    }

    fileprivate var actCode: CodeID? {
        switch self {
        case .codeIssued(let event): event.code
        case .codeDestroyed(let event): event.code
        case .cardStamped(let event): event.code
        case .paperStamped(let event): event.code
        case .stampReversed(let event): event.code
        case .paperStampReversed(let event): event.code
        default: nil
        }
    }
}
