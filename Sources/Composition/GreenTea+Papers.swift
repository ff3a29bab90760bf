public import CommandService
public import Loyalty
public import LoyaltyCodec

/// Cards on paper: printed by a shop, stamped at its counter, and taken by an account.
extension GreenTea {
    /// Prints cards of a campaign. Their codes are in no event: they are derived from the print's id, see `paperCode(_:of:)`.
    ///
    /// - Parameter command: what ``printing(_:of:at:)`` returned, for the reason that ``giveStamps(_:by:)`` names.
    public func printPapers(_ command: (Int) -> Command, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: command, by: caller)
    }

    /// The command that prints cards, for each derivation of their code.
    ///
    /// - Parameter count: 1 to 500.
    public func printing(_ count: Int, of campaign: CampaignID, at shop: ShopID) -> (Int) -> Command {
        let id: PrintID = newID()
        return { [keys] attempt in
            let secret = keys.secret(ofPrintCode: keys.printCode(for: id, attempt: attempt))
            return .printPapers(
                PrintPapers(print: id, shop: shop, campaign: campaign, secret: secret, attempt: attempt, count: count))
        }
    }

    /// The code on a card of a print.
    public func paperCode(_ number: Int, of printed: PaperCardsPrinted) -> PaperCode {
        keys.paperCode(number, of: keys.printCode(for: printed.print, attempt: printed.attempt))
    }

    /// The card that a code is printed on; `nil` for a code that was never printed.
    public func paper(with code: PaperCode) throws(ServiceError) -> PaperName? {
        guard let (secret, number) = keys.paper(in: code), let print = try reading({ try $0.print(secret: secret) }) else { return nil }
        return number < print.count ? PaperName(print: print.id, number: number) : nil
    }

    /// Stamps a card on paper at the counter; see ``StampPaper``.
    ///
    /// - Parameter command: what ``stamping(_:of:onto:)`` returned. Its parts are no parameters here, because with that many 128-bit values
    ///   Swift 6.3.1 ends the task at address 0 when it awaits the writer.
    public func giveStamps(_ command: (Int) -> Command, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: command, by: caller)
    }

    /// The command that stamps a card on paper, for each derivation of its code.
    ///
    /// - Parameter shop: the shop that stamps it; a member of several of the campaign's must name one.
    public func stamping(
        _ stamps: Int, of campaign: CampaignID, shop: NamedShop? = nil, onto paper: PaperName
    ) -> (Int) -> Command {
        let (id, firstCard): (CodeID, CardID) = (newID(), newID())
        return { [keys] attempt in
            let secret = keys.secret(ofStampCode: keys.stampCode(for: id, attempt: attempt))
            let issue = IssueCode(
                code: id, campaign: campaign, secret: secret, attempt: attempt, stamps: stamps, validFor: 1, shop: shop?.id)
            return .stampPaper(StampPaper(issue: issue, paper: paper, firstCard: firstCard))
        }
    }

    /// Takes a card on paper into the caller's account; see ``TakePaper``.
    public func takePaper(_ paper: PaperName, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.takePaper(TakePaper(paper: paper, firstCard: newID())), by: caller)
    }
}
