import CommandService
import Loyalty
import LoyaltyCodec

/// What every route works with.
struct Resources: Sendable {
    let service: GreenTea
    let configuration: API.Configuration
    let tokens: TokenSigner
    let gate: Gate
    let cursors: CursorSeal
    /// Wrong stamp codes, by account.
    let stampBudget: FailureBudget<AccountID>
    /// Wrong redemption codes, by account.
    let redemptionBudget: FailureBudget<AccountID>
    /// Verification codes asked for, by phone.
    let verificationBudget: FailureBudget<E164Number>
    /// Feedback given, by account.
    let feedbackBudget: FailureBudget<AccountID>
    /// Pictures sent, by account.
    let imageBudget: FailureBudget<AccountID>
    /// Verification codes asked for, by address.
    let verificationAddressBudget: FailureBudget<ClientAddress>
    /// Wrong passwords at sign-in, by phone.
    let passwordBudget: FailureBudget<E164Number>
    /// Wrong passwords at sign-in, by address.
    let passwordAddressBudget: FailureBudget<ClientAddress>
    /// Wrong passwords where one is to be changed, by account.
    let passwordChangeBudget: FailureBudget<AccountID>
    /// Exports, by account.
    let exportBudget: FailureBudget<AccountID>

    init(service: GreenTea, configuration: API.Configuration) throws {
        self.service = service
        self.configuration = configuration
        let seed = service.keys.tokenSigningSeed
        tokens = try TokenSigner(seed: seed)
        gate = Gate(service: service, tokens: tokens, rate: configuration.requestRates?.account)
        cursors = CursorSeal(seed: seed)
        stampBudget = FailureBudget(clock: service.clock)
        redemptionBudget = FailureBudget(clock: service.clock)
        verificationBudget = FailureBudget(clock: service.clock)
        feedbackBudget = FailureBudget(clock: service.clock)
        imageBudget = FailureBudget(clock: service.clock, failuresMax: Limits.imagesMax)
        verificationAddressBudget = FailureBudget(clock: service.clock, failuresMax: Limits.failuresPerAddressMax)
        passwordBudget = FailureBudget(clock: service.clock)
        passwordAddressBudget = FailureBudget(clock: service.clock, failuresMax: Limits.failuresPerAddressMax)
        passwordChangeBudget = FailureBudget(clock: service.clock)
        exportBudget = FailureBudget(clock: service.clock, failuresMax: Limits.exportsMax)
    }

    var now: Instant { service.clock.now() }
}
