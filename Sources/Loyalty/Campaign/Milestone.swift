/// A smaller reward that a card earns before its goal.
public struct Milestone: Hashable, Sendable {
    /// The number of stamps at which the milestone is reached, at least 1 and fewer than the goal. This number identifies the milestone on
    /// its card.
    public let at: Int
    public var reward: TypedText

    public init(at: Int, reward: TypedText) {
        (self.at, self.reward) = (at, reward)
    }
}

extension [Milestone] {
    /// The milestone that is reached at this number of stamps; nil if there is none.
    public subscript(at stamps: Int) -> Milestone? { first { $0.at == stamps } }

    /// These milestones with `rewards` in place of their own rewards, in the form that the log stores. If `rewards` is nil or has another
    /// count, the rewards stay as they are.
    func stored(_ rewards: [TypedText]?) -> [Milestone] {
        guard let rewards, rewards.count == count else { return self }
        return zip(self, rewards).map { Milestone(at: $0.at, reward: $1) }
    }

    /// Whether the reward of any milestone is stored unsealed.
    var hasClearReward: Bool { contains { $0.reward.open != nil } }
}

/// Checks of a campaign's milestones, for publishing and editing.
extension FieldChecks {
    /// Requires that each milestone needs more stamps than the milestone before it, and fewer than the goal. A reported fault names the
    /// milestone by its index in the list.
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

    /// Checks the reward of one milestone.
    mutating func requireReward(_ reward: TypedText, _ field: String) { require(reward, within: Limits.stampCardReward, field) }
}

/// The state of a milestone, as its card's holder sees it.
public enum MilestoneStatus: UInt8, Hashable, Sendable, CaseIterable {
    /// The card has fewer stamps than the milestone needs.
    case ahead = 1
    case reached = 2
    /// A redemption code for the milestone is valid now.
    case requested = 3
    case redeemed = 4
}

/// The milestones of a card. The card's history shows which milestones were redeemed, so no other field records this.
extension Card {
    /// The time at which the milestone's reward was handed out; nil if it was not, or was taken back.
    public func redeemedAt(milestone at: Int) -> Instant? {
        let last = history.last { $0.milestone == at && ($0.kind == .milestoneRedeemed || $0.kind == .milestoneReversed) }
        return last?.kind == .milestoneRedeemed ? last?.at : nil
    }

    /// The stamps of the highest milestone whose reward was handed out and not taken back; 0 if there is none. The card cannot lose stamps
    /// below this number.
    public var stampsSpoken: Int {
        terms.milestones.last { redeemedAt(milestone: $0.at) != nil }?.at ?? 0
    }

    /// Whether the milestone's reward can be redeemed: the card is collecting or full, has enough stamps, and the reward was not handed
    /// out, or was taken back.
    ///
    /// If stamps are taken back and the card falls below the milestone, the milestone's reward cannot be redeemed any more. Otherwise a
    /// customer with a refund would still get the reward.
    public func isOpen(milestone at: Int, at now: Instant) -> Bool {
        let status = status(at: now)
        return (status == .collecting || status == .full) && stamps >= at && terms.milestones[at: at] != nil
            && redeemedAt(milestone: at) == nil
    }

    /// The state at `now` of a milestone of this card.
    public func status(ofMilestone at: Int, at now: Instant) -> MilestoneStatus {
        if redeemedAt(milestone: at) != nil { return .redeemed }
        guard stamps >= at else { return .ahead }
        // A redemption code that was used is no longer valid, even if the milestone's reward was taken back after that.
        let last = history.last { $0.kind == .redemptionRequested || $0.kind == .milestoneRequested || $0.kind == .milestoneRedeemed }
        guard let last, last.kind == .milestoneRequested, last.milestone == at, isOpen(milestone: at, at: now),
            fewestSinceRequest >= at
        else { return .reached }
        let end = terms.ending(by: last.at.advanced(bySeconds: Limits.redemptionValiditySeconds))
        return Validity.holds(at: now, from: last.at, until: end) ? .requested : .reached
    }
}
