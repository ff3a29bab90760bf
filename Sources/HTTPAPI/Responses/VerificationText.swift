import CommandService

/// What the text message with a code says.
enum VerificationText {
    static func text(_ code: String, in language: Language) -> String {
        let minutes = Verifications.validSeconds / 60
        return switch language {
        case .english: "GreenTea: \(code) is your sign-in code, good for \(minutes) minutes. Never tell it to anybody."
        case .chinese: "【GreenTea】登录验证码 \(code)，\(minutes) 分钟内有效，请勿告诉任何人。"
        }
    }
}
