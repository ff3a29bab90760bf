public import Loyalty

extension GreenTea {
    /// Opens the caller's one shop.
    public func openShop(
        name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = [], by caller: Caller,
        at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        let shop: ShopID = newID()
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        let command = OpenShop(
            shop: shop, name: name, phone: phone, address: address, location: location, images: images,
            sealed: try await sealedContact(contact, ofNew: shop, by: caller))
        return try await submit(.openShop(command), by: caller, at: at)
    }

    /// Changes what a shop says of itself.
    public func editShop(_ edit: EditShop, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await sealing(for: edit.expected) { () async throws(ServiceError) in
            try await submit(.editShop(try await resealed(edit, by: caller)), by: caller)
        }
    }

    /// Seals and submits an edit, again where a concurrent edit came between the two: a client that named no version is not told of it.
    private func sealing(
        for expected: ExpectedVersion, _ attempt: () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance {
        for _ in 0..<Limits.editAttemptsMax - 1 {
            do throws(ServiceError) { return try await attempt() } catch {
                guard error == .rejected(.versionConflict), expected == .any else { throw error }
            }
        }
        return try await attempt()
    }

    /// Announces a campaign of a shop. `goal` counts for a stamp card only.
    public func publishCampaign(
        _ draft: CampaignDraft, of shop: ShopID, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        var command = PublishCampaign(
            campaign: newID(), shop: shop, kind: draft.kind, title: draft.title, details: draft.details, goal: draft.goal,
            reward: draft.reward, startsAt: draft.startsAt, endsAt: draft.endsAt, image: draft.image, caps: draft.caps)
        command.sealed = try await sealedTexts(of: command, by: caller)
        return try await submit(.publishCampaign(command), by: caller, at: at)
    }

    /// Changes a campaign.
    public func editCampaign(_ edit: EditCampaign, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await sealing(for: edit.expected) { () async throws(ServiceError) in
            try await submit(.editCampaign(try await resealed(edit, by: caller)), by: caller)
        }
    }

    /// Ends a campaign before its time.
    public func endCampaign(_ campaign: CampaignID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.endCampaign(EndCampaign(campaign: campaign)), by: caller)
    }
}
