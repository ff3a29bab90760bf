import Loyalty
import LoyaltyCodec

/// Reads milestones from requests.
extension FieldReader {
    /// Null removes all milestones.
    mutating func changedMilestones(_ name: String) -> Change<[Milestone]> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        let most = Loyalty.Limits.milestones
        return .set(
            entries(name, content, atMost: most, .above(most)) { fields in
                Milestone(at: fields.int("at"), reward: .clear(fields.string("reward")))
            })
    }

    mutating func optionalMilestones(_ name: String) -> [Milestone] {
        guard case .set(let milestones) = changedMilestones(name) else { return [] }
        return milestones
    }
}

extension CanonicalRequest {
    mutating func add(milestones: [Milestone]) {
        add("milestones")
        add(milestones.count)
        for milestone in milestones {
            add(milestone.at)
            add(milestone.reward.open)
        }
    }
}

extension Milestone: JSONRecord {
    var fields: JSONFields { ["at": at, "reward": reward.open ?? ""] }
}

struct CardMilestoneAnswer: JSONObject {
    let milestone: Milestone
    let status: MilestoneStatus
    let redeemedAt: Instant?

    static func all(of card: Card, at now: Instant) -> [CardMilestoneAnswer] {
        card.terms.milestones.map { milestone in
            CardMilestoneAnswer(
                milestone: milestone, status: card.status(ofMilestone: milestone.at, at: now),
                redeemedAt: card.redeemedAt(milestone: milestone.at))
        }
    }

    func writeFields(to json: inout JSONWriter) {
        json.field("at", milestone.at)
        json.field("reward", milestone.reward.open ?? "")
        json.field("status", status.text)
        if let redeemedAt { json.field("redeemedAt", redeemedAt) }
    }
}

extension MilestoneStatus {
    fileprivate var text: String {
        switch self {
        case .ahead: "ahead"
        case .reached: "reached"
        case .requested: "requested"
        case .redeemed: "redeemed"
        }
    }
}
