import CommandService
import Composition
import PhoneNumbers

/// A phone number in a request's body as somebody typed it: the field `phone`, with the field `region` beside it.
///
/// The content of a request, by which a retry is recognised, has the typed text and not the number, because newer numbering plans may read
/// the same text differently.
struct PhoneField: Hashable, Sendable {
    let text: String
    let region: PhoneRegion?

    /// - Throws: `invalidRequest` for a text that is no number, by numbering plans or by its digits alone.
    func typed() throws(Problem) -> TypedPhone {
        guard let typed = TypedPhone(text, region: region) else { throw Self.refused }
        return typed
    }

    /// The possible number of the text.
    func number() throws(Problem) -> E164Number {
        let typed = try typed()
        guard typed.isPossible else { throw Self.refused }
        return typed.number
    }

    static let refused = Problem.invalid("phone", .form(.phone))
}

extension FieldReader {
    mutating func phone() -> PhoneField {
        let text = string("phone")
        return PhoneField(text: text, region: region())
    }

    mutating func optionalPhone() -> PhoneField? {
        let (text, region) = (optionalString("phone"), region())
        return text.map { PhoneField(text: $0, region: region) }
    }

    mutating func editedPhone() -> PhoneField? {
        let (text, region) = (editedString("phone"), region())
        return text.map { PhoneField(text: $0, region: region) }
    }

    private mutating func region() -> PhoneRegion? {
        guard let text = optionalString("region") else { return nil }
        let region = PhoneRegion(text)
        if region == nil { complain("region", .form(.region)) }
        return region
    }
}

extension CanonicalRequest {
    /// Adds the region of a typed number. A request without a region stays as it was before regions existed.
    mutating func add(regionOf phone: PhoneField?) {
        if let region = phone?.region { add("region " + region.code) }
    }
}

extension Resources {
    /// The possible number that a request names. A retry of an accepted request passes with any number, because that request may have been
    /// accepted under older numbering plans.
    func typed(_ phone: PhoneField, by caller: Caller) throws -> TypedPhone {
        let typed = try phone.typed()
        guard try typed.isPossible || service.isAnswered(caller) else { throw PhoneField.refused }
        return typed
    }

    /// The number by which an account knows the number that a request names.
    func number(of typed: TypedPhone) throws -> E164Number { try service.number(of: typed) ?? typed.number }

    /// The phone number of a shop in a request that opens or edits it. A shop's number that stays as it is may be of any form.
    ///
    /// - Returns: an empty text for a number that is not possible. The decision refuses it together with other invalid fields.
    func shopPhone(_ phone: PhoneField, by caller: Caller, present: () throws -> String? = { nil }) throws -> String {
        if let number = try? phone.number() { return number.text }
        return try service.isAnswered(caller) || present() == phone.text ? phone.text : ""
    }
}
