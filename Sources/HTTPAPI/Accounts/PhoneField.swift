import CommandService
import Composition
import PhoneNumbers

/// A phone number as typed: the field `phone`, with `region` beside it. A retry is recognised by the text, because newer numbering plans
/// may read it as another number.
struct PhoneField: Hashable, Sendable {
    let text: String
    let region: PhoneRegion?

    /// - Throws: `invalidRequest` for a text that is no number, by numbering plans or by its digits alone.
    func typed() throws(Problem) -> TypedPhone {
        guard let typed = TypedPhone(text, region: region) else { throw Self.refused }
        return typed
    }

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
    /// Without a region, the content stays as before regions existed.
    mutating func add(regionOf phone: PhoneField?) {
        if let region = phone?.region { add("region " + region.code) }
    }
}

extension Resources {
    /// The number that a request names. A retry passes with any number, because older numbering plans may have accepted it.
    func typed(_ phone: PhoneField, by caller: Caller) throws -> TypedPhone {
        let typed = try phone.typed()
        guard try typed.isPossible || service.isAnswered(caller) else { throw PhoneField.refused }
        return typed
    }

    func number(of typed: TypedPhone) throws -> E164Number { try service.number(of: typed) ?? typed.number }

    /// A shop's phone number in a request; an unchanged number may have any form.
    ///
    /// - Returns: an empty text for an impossible number. The decision refuses it together with other invalid fields.
    func shopPhone(_ phone: PhoneField, by caller: Caller, present: () throws -> String? = { nil }) throws -> String {
        if let number = try? phone.number() { return number.text }
        return try service.isAnswered(caller) || present() == phone.text ? phone.text : ""
    }
}
