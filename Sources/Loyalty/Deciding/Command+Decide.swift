extension Command {
    /// Judges this command against all that has happened.
    ///
    /// - Returns: The events to append, in order; none where everything asked for is so already; or why it was refused.
    /// - Throws: Only what `past` throws while looking; nothing is decided then.
    public func decide<P: Past>(
        in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Result<[LoyaltyEvent], Rejection> {
        let judged = try judge(in: &past, by: actor, at: now)
        guard case .success(let events) = judged else { return judged }
        return try refusal(of: events, in: &past, by: actor, at: now).map { .failure($0) } ?? judged
    }

    private func judge<P: Past>(
        in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Result<[LoyaltyEvent], Rejection> {
        switch self {
        case .registerAccount(let command): try command.judge(in: &past, by: actor, at: now)
        case .startSession(let command): try command.judge(in: &past, by: actor, at: now)
        case .refreshSession(let command): try command.judge(in: &past, by: actor, at: now)
        case .endSession(let command): try command.judge(in: &past, by: actor, at: now)
        case .endSessions(let command): try command.judge(in: &past, by: actor, at: now)
        case .editProfile(let command): try command.judge(in: &past, by: actor, at: now)
        case .setPassword(let command): try command.judge(in: &past, by: actor, at: now)
        case .removePassword(let command): try command.judge(in: &past, by: actor, at: now)
        case .eraseAccount(let command): try command.judge(in: &past, by: actor, at: now)
        case .openShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .editShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .inviteStaff(let command): try command.judge(in: &past, by: actor, at: now)
        case .acceptInvitation(let command): try command.judge(in: &past, by: actor, at: now)
        case .declineInvitation(let command): try command.judge(in: &past, by: actor, at: now)
        case .withdrawInvitation(let command): try command.judge(in: &past, by: actor, at: now)
        case .removeStaff(let command): try command.judge(in: &past, by: actor, at: now)
        case .leaveShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .suspendShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .reinstateShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .publishCampaign(let command): try command.judge(in: &past, by: actor, at: now)
        case .endCampaign(let command): try command.judge(in: &past, by: actor, at: now)
        case .editCampaign(let command): try command.judge(in: &past, by: actor, at: now)
        case .issueCode(let command): try command.judge(in: &past, by: actor, at: now)
        case .destroyCode(let command): try command.judge(in: &past, by: actor, at: now)
        case .stamp(let command): try command.judge(in: &past, by: actor, at: now)
        case .discardCard(let command): try command.judge(in: &past, by: actor, at: now)
        case .adjustCard(let command): try command.judge(in: &past, by: actor, at: now)
        case .requestRedemption(let command): try command.judge(in: &past, by: actor, at: now)
        case .redeem(let command): try command.judge(in: &past, by: actor, at: now)
        case .reverseRedemption(let command): try command.judge(in: &past, by: actor, at: now)
        case .postReview(let command): try command.judge(in: &past, by: actor, at: now)
        case .postReply(let command): try command.judge(in: &past, by: actor, at: now)
        case .removeReview(let command): try command.judge(in: &past, by: actor, at: now)
        case .postNotice(let command): try command.judge(in: &past, by: actor, at: now)
        case .readNotice(let command): try command.judge(in: &past, by: actor, at: now)
        case .muteShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .unmuteShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .giveFeedback(let command): try command.judge(in: &past, by: actor, at: now)
        case .takeDownImage(let command): try command.judge(in: &past, by: actor, at: now)
        case .addFavorite(let command): try command.judge(in: &past, by: actor, at: now)
        case .removeFavorite(let command): try command.judge(in: &past, by: actor, at: now)
        }
    }
}
