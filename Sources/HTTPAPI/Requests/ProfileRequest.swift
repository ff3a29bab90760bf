import CommandService
import Loyalty
import LoyaltyCodec

/// `PATCH /me`: what is absent stays, what is null is cleared.
///
/// Fields are sealed on the way to the log, so what they say is judged here.
struct ProfileRequest: JSONReadable {
    private static let genders: Set<String> = ["female", "male", "other"]

    private(set) var draft = ProfileDraft()
    /// As it was sent, so that a repeated request is known again.
    private let sent: [FieldChange<String>]

    init(_ fields: inout FieldReader) {
        let names = ["nickname", "avatar", "gender", "birthday", "city"]
        sent = names.map { fields.change($0) }
        draft.nickname = Self.text(sent[0], Limits.nickname, "nickname", &fields)
        draft.avatar = Self.image(sent[1], &fields)
        draft.gender = sent[2]
        if case .set(let word) = sent[2] { fields.require(Self.genders.contains(word), "gender", "must be female, male or other") }
        draft.birthday = sent[3]
        if case .set(let text) = sent[3] {
            let day = CalendarDay(text: text)
            fields.require(day.map { $0 >= Limits.birthdayMin } ?? false, "birthday", "must be a day such as 2001-02-28, not before 1900")
        }
        draft.city = Self.text(sent[4], Limits.city, "city", &fields)
    }

    /// - Throws: `invalidRequest` for a birthday that is yet to come.
    func check(now: Instant) throws(Problem) {
        guard case .set(let text) = draft.birthday, let day = CalendarDay(text: text) else { return }
        // It may be tomorrow already where the person is.
        let latest = CalendarDay(of: now.advanced(bySeconds: Limits.dayLeadSeconds))
        guard day <= latest else { throw .invalid("birthday", "must not be in the future") }
    }

    var canonical: CanonicalRequest {
        var canonical = CanonicalRequest("PATCH /v1/me")
        for change in sent {
            switch change {
            case .unchanged: canonical.add(0 as UInt64)
            case .cleared: canonical.add(1 as UInt64)
            case .set(let text):
                canonical.add(2 as UInt64)
                canonical.add(text)
            }
        }
        return canonical
    }

    private static func text(
        _ change: FieldChange<String>, _ limit: TextLimit, _ name: String, _ fields: inout FieldReader
    ) -> FieldChange<String> {
        if case .set(let text) = change, let complaint = limit.complaint(about: text) { fields.require(false, name, complaint) }
        return change
    }

    private static func image(_ change: FieldChange<String>, _ fields: inout FieldReader) -> FieldChange<ImageID> {
        switch change {
        case .unchanged: return .unchanged
        case .cleared: return .cleared
        case .set(let text):
            let id = ImageID(text: text)
            fields.require(id != nil, "avatar", "must be the id of an image: img_…")
            return id.map { .set($0) } ?? .unchanged
        }
    }
}
