import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite("what is wrong with a field")
struct FieldTextTests {
    @Test(
        "is told in Chinese, numbers and all",
        arguments: [
            ("is required", "必填"), ("must be 1 to 50", "须为 1 至 50"), ("must be 1 to 50 characters", "须为 1 至 50 个字符"),
            ("must be 5 to 30 of digits, +, -, spaces and parentheses, with a digit", "须为 5 至 30 个数字、+、-、空格或括号，且至少含一个数字"),
            ("must be at most 10", "不得超过 10"), ("must be at most 100 characters", "不得超过 100 个字符"),
            ("must be at most 5 years ahead", "不得晚于 5 年之后"), ("must be -50 to 50 and not 0", "须为 -50 至 50，且不为 0"),
            (
                "must be a latitude within ±90 and a longitude within ±180, as 31.2304,121.4737",
                "须为 ±90 以内的纬度和 ±180 以内的经度，如 31.2304,121.4737"
            ),
            ("must be a day such as 2001-02-28, not before 1900", "须为日期，如 2001-02-28，且不早于 1900 年"),
            ("the Idempotency-Key header must be 1 to 255 visible ASCII characters", "Idempotency-Key 标头须为 1 至 255 个可见 ASCII 字符"),
        ])
    func chinese(_ complaint: String, _ told: String) {
        #expect(FieldText.chinese(complaint) == told)
        #expect(FieldText(complaint, in: .chinese).text == told)
        #expect(FieldText(complaint, in: .english).text == complaint)
    }

    @Test("is told as it is where nobody has put it into Chinese", arguments: ["", "must be", "is required now", "must be 1 to", "else"])
    func unknown(_ complaint: String) {
        #expect(FieldText.chinese(complaint) == nil)
        #expect(FieldText(complaint, in: .chinese).text == complaint)
    }

    @Test("every phrase is found by what it says, and has no hole left over")
    func phrases() {
        for phrase in FieldPhrase.all {
            let english = phrase.example
            let told = FieldText.chinese(english)
            #expect(told == phrase.chinese(with: phrase.values(in: english) ?? []), "\(english) is told by an earlier one: \(told ?? "")")
            #expect(told?.contains("#") == false, "\(english): \(told ?? "")")
        }
    }

    @Test("a request in Chinese hears it in Chinese")
    func request() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let reply = try await me.patch("/v1/me", #"{"gender":"tea"}"#, headers: [.acceptLanguage: "zh-Hans"])
            try reply.expectProblem("invalidRequest", 400)
            #expect(try reply.json["errors"]?.items?.first?["detail"]?.string == "须为 female、male 或 other")
        }
    }
}

extension FieldPhrase {
    /// The English phrase with 7 in each hole.
    fileprivate var example: String { literals.joined(separator: "7") }
}
