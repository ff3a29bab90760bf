public import Loyalty

extension GreenTea {
    /// Opens the caller's one shop.
    public func openShop(
        name: String, phone: String, address: String, location: Coordinate, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        let command = OpenShop(shop: newID(), name: name, phone: phone, address: address, location: location)
        return try await submit(.openShop(command), by: caller, at: at)
    }

    /// Announces a campaign of a shop. `goal` counts for a stamp card only.
    public func publishCampaign(
        _ draft: CampaignDraft, of shop: ShopID, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        let command = PublishCampaign(
            campaign: newID(), shop: shop, kind: draft.kind, title: draft.title, details: draft.details, goal: draft.goal,
            reward: draft.reward, startsAt: draft.startsAt, endsAt: draft.endsAt)
        return try await submit(.publishCampaign(command), by: caller, at: at)
    }

    /// Ends a campaign before its time.
    public func endCampaign(_ campaign: CampaignID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.endCampaign(EndCampaign(campaign: campaign)), by: caller)
    }
}
