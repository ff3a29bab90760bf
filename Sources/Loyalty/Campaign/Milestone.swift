/// A smaller reward that a card earns before its goal.
///
/// The redemption of a milestone has events of its own, so that `CardRedeemed` keeps its meaning and statistics count the two apart.
public struct Milestone: Hashable, Sendable {
    /// Below the goal; identifies the milestone on its card.
    public let at: Int
    public var reward: TypedText

    public init(at: Int, reward: TypedText) { (self.at, self.reward) = (at, reward) }
}

extension [Milestone] {
    public subscript(at stamps: Int) -> Milestone? { first { $0.at == stamps } }

    /// Unless `rewards` is nil or has another count.
    func stored(_ rewards: [TypedText]?) -> [Milestone] {
        guard let rewards, rewards.count == count else { return self }
        return zip(self, rewards).map { Milestone(at: $0.at, reward: $1) }
    }

    var hasClearReward: Bool { contains { $0.reward.open != nil } }
}

extension FieldChecks {
    /// A fault names the milestone by its index.
    mutating func require(_ milestones: [Milestone], below goal: Int) {
        guard milestones.count <= Limits.milestones else { return require(false, "milestones", .above(Limits.milestones)) }
        var earlier = 0
        for (place, milestone) in milestones.enumerated() {
            let field = "milestones/\(place)/at"
            if !Limits.milestoneStamps.contains(milestone.at) {
                require(false, field, .outside(Limits.milestoneStamps))
            } else if milestone.at >= goal {
                require(false, field, .notBelowGoal)
            } else {
                require(milestone.at > earlier, field, .notAscending)
            }
            earlier = Swift.max(earlier, milestone.at)
            requireReward(milestone.reward, "milestones/\(place)/reward")
        }
    }

    mutating func requireReward(_ reward: TypedText, _ field: String) { require(reward, within: Limits.stampCardReward, field) }
}

/// The state of a milestone, by its name in the API.
public enum MilestoneStatus: String, Hashable, Sendable, CaseIterable {
    case ahead, reached
    /// A redemption code is valid now.
    case requested
    case redeemed
}

extension Card {
    /// nil also if the reward was taken back.
    public func redeemedAt(milestone at: Int) -> Instant? {
        let last = history.last { $0.milestone == at && ($0.kind == .milestoneRedeemed || $0.kind == .milestoneReversed) }
        return last?.kind == .milestoneRedeemed ? last?.at : nil
    }

    /// The highest redeemed milestone, below which the card cannot fall; 0 if none.
    public var stampsSpoken: Int { terms.milestones.last { redeemedAt(milestone: $0.at) != nil }?.at ?? 0 }

    /// A card that falls below the milestone loses the reward, so that a refund does not leave it.
    public func isOpen(milestone at: Int, at now: Instant) -> Bool {
        let status = status(at: now)
        return (status == .collecting || status == .full) && stamps >= at && terms.milestones[at: at] != nil
            && redeemedAt(milestone: at) == nil
    }

    public func status(ofMilestone at: Int, at now: Instant) -> MilestoneStatus {
        if redeemedAt(milestone: at) != nil { return .redeemed }
        guard stamps >= at else { return .ahead }
        // A used code stays invalid, even if the reward was taken back.
        let last = history.last { $0.kind == .redemptionRequested || $0.kind == .milestoneRequested || $0.kind == .milestoneRedeemed }
        guard let last, last.kind == .milestoneRequested, last.milestone == at, isOpen(milestone: at, at: now),
            fewestSinceRequest >= at
        else { return .reached }
        let end = terms.ending(by: last.at.advanced(bySeconds: Limits.redemptionValiditySeconds))
        return Validity.holds(at: now, from: last.at, until: end) ? .requested : .reached
    }
}
