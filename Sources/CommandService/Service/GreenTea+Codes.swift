public import Loyalty
public import LoyaltyCodec

extension GreenTea {
    /// Issues a one-time stamp code. The code itself is in no event: it is derived from the id, see `stampCode(of:)`.
    ///
    /// - Parameters:
    ///   - stamps: what it is worth, 1 to 10.
    ///   - validFor: seconds, at most a day.
    public func issueCode(
        of campaign: CampaignID, stamps: Int, validFor: Int, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        let id: CodeID = newID()
        return try await derivingAnew { attempt in
            let secret = keys.secret(ofStampCode: keys.stampCode(for: id, attempt: attempt))
            return .issueCode(
                IssueCode(code: id, campaign: campaign, secret: secret, attempt: attempt, stamps: stamps, validFor: validFor))
        } submit: { command throws(ServiceError) in
            try await submit(command, by: caller, at: at)
        }
    }

    /// The code that the customer types.
    public func stampCode(of issued: CodeIssued) -> TypedCode {
        keys.stampCode(for: issued.code, attempt: issued.attempt)
    }

    /// Whether a code exists and was used: tells a lost race from a guess. Never to be told to a client.
    public func wasUsed(stampCode code: TypedCode) throws(ServiceError) -> Bool {
        try reading { try $0.code(secret: keys.secret(ofStampCode: code))?.isUsed ?? false }
    }

    /// Withdraws an open code.
    public func destroyCode(_ code: CodeID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.destroyCode(DestroyCode(code: code)), by: caller)
    }

    /// Asks again with the next derivation while the derived code collides with one that exists.
    func derivingAnew(
        _ command: (Int) -> Command, submit: (Command) async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance {
        for attempt in 0..<Limits.codeAttemptsMax {
            do {
                return try await submit(command(attempt))
            } catch .rejected(.secretTaken) {
                continue
            }
        }
        throw .failed("no free code after \(Limits.codeAttemptsMax) derivations")
    }
}
