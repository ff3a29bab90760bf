public import CommandService
import Loyalty
import LoyaltyCodec
public import PhoneNumbers

/// A phone number as somebody typed it. Versions without numbering plans took any `+` and 8 to 15 digits, and accounts keep such numbers.
public struct TypedPhone: Hashable, Sendable {
    private static let formerDigitsMin = 8

    /// By the plans, or by the text's digits where they refuse it.
    public let number: E164Number
    /// If the plans refuse it, only an account that has the number already may use it.
    public let isPossible: Bool
    /// As read by versions without plans, if different. They kept the zero of "+44 (0)20 …".
    public let former: E164Number?

    /// nil if neither a number by the plans nor in E.164 form.
    public init?(_ text: String, region: PhoneRegion? = nil) {
        let possible = NumberingPlans.number(in: text, region: region).flatMap { E164Number($0) }
        let digits = possible == nil ? text : NumberingPlans.digits(of: text)
        let former = digits.flatMap { $0.utf8.count > Self.formerDigitsMin ? E164Number($0) : nil }
        guard let number = possible ?? former else { return nil }
        (self.number, isPossible) = (number, possible != nil)
        self.former = former == possible ? nil : former
    }
}

extension E164Number {
    /// Exactly the text if in E.164 form, or else by the plans.
    public init?(meaning text: String) {
        let typed = TypedPhone(text)
        guard let number = E164Number(text) ?? (typed?.isPossible == true ? typed?.number : nil) else { return nil }
        self = number
    }

    /// The form to which codes are sent. An account's stored number may have another.
    var verified: E164Number { TypedPhone(text)?.number ?? self }
}

extension GreenTea {
    /// The typed digits if an account has exactly these or a card waits for them; otherwise the number by the plans.
    ///
    /// - Returns: nil for a number that the plans refuse and that nobody has.
    public func number(of typed: TypedPhone) throws(ServiceError) -> E164Number? {
        guard let former = typed.former else { return typed.number }
        if try account(ofPhone: former) != nil { return former }
        if typed.isPossible, try account(ofPhone: typed.number) != nil { return typed.number }
        if try hasClaim(former) { return former }
        return typed.isPossible ? typed.number : nil
    }

    /// Signs in the holder of a phone number with the code that was sent to it.
    ///
    /// - Returns: nil if no account has the number, and none may be registered with it. The code is then used up.
    /// - Throws: `.rejected(.passwordNotValid)` for a wrong code, and as ``signIn(_:at:)``; `.tooManyTries`; `.overloaded` and `.failed`,
    ///   after which the code stays valid.
    public func signIn(_ phone: TypedPhone, code: String, from network: SignInNetwork) async throws(ServiceError) -> SignedIn? {
        let codes: [Verifications.EnteredCode] = [(code, phone.number)]
        try spend(codes, from: network)
        do throws(ServiceError) {
            guard let number = try number(of: phone) else { return nil }
            let signedIn = try await signIn(number)
            // If this fails, the next sign-in goes on with it.
            for other in [phone.number, phone.former].compactMap(\.self) where other != number {
                try? await takeCards(waitingForForm: other, by: signedIn.account.id)
            }
            return signedIn
        } catch {
            giveBack(codes, after: error)
            throw error
        }
    }

    /// The caller MUST have verified the number for `account`.
    func takeCards(waitingForForm form: E164Number, by account: AccountID) async throws(ServiceError) {
        let name = keys.phoneName(of: form.text)
        // The lock keeps stamps and registrations of this form away.
        guard numberLocks.hold([name]) else { throw .overloaded }
        try await locked { [numberLocks] in
            numberLocks.release([name])
        } while: { () throws(ServiceError) in
            for name in [form.text, KeyStore.setAside(form.text)] { try await takeCards(waitingUnder: name, by: account) }
        }
    }
}
