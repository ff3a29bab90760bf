import Loyalty
import LoyaltyCodec

/// Reads milestones from requests.
extension FieldReader {
    /// Null removes all milestones.
    mutating func changedMilestones(_ name: String) -> Change<[Milestone]> {
        changedEntries(name, atMost: Loyalty.Limits.milestones, .above(Loyalty.Limits.milestones)) { fields in
            Milestone(at: fields.int("at"), reward: .clear(fields.string("reward")))
        }
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
