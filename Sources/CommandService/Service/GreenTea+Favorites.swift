public import Loyalty

extension GreenTea {
    /// Keeps a campaign among the caller's favourites; again, it does nothing.
    public func addFavorite(_ campaign: CampaignID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.addFavorite(AddFavorite(campaign: campaign)), by: caller)
    }

    /// Keeps a campaign among the caller's favourites no longer; again, it does nothing.
    public func removeFavorite(_ campaign: CampaignID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.removeFavorite(RemoveFavorite(campaign: campaign)), by: caller)
    }
}
