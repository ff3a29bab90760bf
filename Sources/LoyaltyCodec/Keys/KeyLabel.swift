/// What a derived key is for. Each use has a key of its own, so that what one of them reveals says nothing about another.
///
/// The raw value is the HKDF `info`. Changing one loses everything made under it: codes, look-ups, sessions, data keys.
enum KeyLabel: String, CaseIterable {
    case stampCode = "greentea/v1/stamp-code"
    case stampSecret = "greentea/v1/stamp-secret"
    case redemptionCode = "greentea/v1/redemption-code"
    case redemptionSecret = "greentea/v1/redemption-secret"
    case phone = "greentea/v1/phone"
    case token = "greentea/v1/token"
    case tokenMark = "greentea/v1/token-mark"
    case request = "greentea/v1/request"
    case digest = "greentea/v1/digest"
    case tokenSigning = "greentea/v1/token-signing"
    case checkpoint = "greentea/v1/checkpoint"
    case wrapping = "greentea/v1/wrapping"
    case authorHandle = "greentea/v1/author-handle"
    case phoneGuess = "greentea/v1/phone-guess"
    case picture = "greentea/v1/picture"
    case phoneName = "greentea/v1/phone-name"
    case root = "greentea/v1/root"
}
