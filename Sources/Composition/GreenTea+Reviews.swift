public import CommandService
public import Loyalty
public import LoyaltyCodec

extension GreenTea {
    /// Rates a shop or writes about it. The author's own key seals the text.
    public func postReview(of shop: ShopID, rating: Int?, text: String?, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let review: ReviewID = newID()
        let sealed: Sealed? = if let text { try seal(text, as: .reviewText, of: caller.account) } else { nil }
        let command = PostReview(review: review, shop: shop, rating: rating, text: sealed)
        return try await submit(.postReview(command), by: caller)
    }

    public func postReply(to parent: ReviewID, text: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let sealed = try seal(text, as: .replyText, of: caller.account)
        return try await submit(.postReply(PostReply(reply: newID(), parent: parent, text: sealed)), by: caller)
    }

    /// `nil` if the owner's key was destroyed.
    public func open(_ sealed: Sealed, as field: SealedField, of account: AccountID) throws(ServiceError) -> String? {
        do {
            guard let key = try keyStore.key(of: account) else { return nil }
            return Sealing.open(sealed, field: field, of: account, under: key)
        } catch {
            throw ServiceError(storage: error)
        }
    }

    func seal(_ text: String, as field: SealedField, of account: AccountID) throws(ServiceError) -> Sealed {
        do {
            guard let key = try keyStore.key(of: account) else { throw KeyStoreError.noKey }
            return try Sealing.seal(text, field: field, of: account, under: key, nonce: randomness.bytes(Sealing.nonceLength))
        } catch {
            throw ServiceError(storage: error)
        }
    }
}

extension GreenTea {
    /// Posts a notice, now or later, sealed under the author's own key. For a notice to everybody, the caller MUST be an operator.
    public func postNotice(
        title: String, text: String, to audience: NoticeAudience, publishAt: Instant? = nil, by caller: Caller
    ) async throws(ServiceError) -> Acceptance {
        let command = PostNotice(
            notice: newID(), audience: audience, title: try seal(title.asName, as: .noticeTitle, of: caller.account),
            text: try seal(text, as: .noticeText, of: caller.account), publishAt: publishAt)
        return try await submit(.postNotice(command), by: caller)
    }
}
