public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec
import ReadModels
public import Search

extension GreenTea {
    /// Keeps a search, sealed under the caller's key.
    public func saveSearch(_ terms: SearchTerms, alerts: Bool, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let sealed = try seal(terms, of: caller.account)
        return try await submit(.search(.save(SaveSearch(search: newID(), terms: sealed, alerts: alerts))), by: caller)
    }

    /// Changes a saved search. Unchanged terms are not sealed again, so that a repetition adds nothing.
    ///
    /// - Parameter edit: changes the terms, and returns whether there are alerts from now on.
    public func editSearch(
        _ id: SearchID, by caller: Caller, _ edit: (inout SearchTerms, _ alerts: Bool) -> Bool
    ) async throws(ServiceError) -> Acceptance {
        guard let known = try reading({ try $0.search(id) }), known.account == caller.account, !known.isRemoved,
            let held = try terms(of: known)
        else {
            // The request may have been accepted before the search was removed. Then its answer is repeated, and nothing is decided.
            guard try isAnswered(caller) else { throw .rejected(.notFound) }
            return try await submit(.search(.remove(RemoveSearch(search: id))), by: caller)
        }
        var terms = held
        let alerts = edit(&terms, known.alerts)
        let sealed = terms == held ? known.terms : try seal(terms, of: caller.account)
        return try await submit(.search(.edit(EditSearch(search: id, terms: sealed, alerts: alerts))), by: caller)
    }

    /// Nil if the account was erased.
    public func terms(of search: SavedSearch) throws(ServiceError) -> SearchTerms? {
        do {
            guard let key = try keyStore.key(of: search.account) else { return nil }
            return Sealing.open(terms: search.terms, of: search.account, under: key)
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// The campaigns that are new to the holder of a saved search; see ``Discovery/news(_:after:limit:)``.
    public func news(of search: SavedSearch, with terms: SearchTerms, limit: Int) throws(ServiceError) -> SearchNews {
        do {
            return try discovery.news(CampaignSearch(terms, at: clock.now()), after: Position(search.seen), limit: limit)
        } catch {
            throw ServiceError(storage: error)
        }
    }

    private func seal(_ terms: SearchTerms, of account: AccountID) throws(ServiceError) -> Sealed {
        do {
            guard let key = try keyStore.key(of: account) else { throw KeyStoreError.noKey }
            return try Sealing.seal(terms, of: account, under: key, nonce: randomness.bytes(Sealing.nonceLength))
        } catch {
            throw ServiceError(storage: error)
        }
    }
}
