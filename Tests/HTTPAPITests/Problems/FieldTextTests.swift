import HTTPTypes
import Loyalty
import Testing
import WebPages

@testable import HTTPAPI

@Suite("Faults of a request's fields, in words", .timeLimit(.minutes(15)))
struct FieldTextTests {
    @Test(
        "A fault has its numbers in both languages",
        arguments: [
            (RequestFault.required, "is required", "必填"),
            (.rule(.outside(1...50)), "must be 1 to 50", "须为 1 至 50"),
            (.rule(.characters(1...50)), "must be 1 to 50 characters", "须为 1 至 50 个字符"),
            (
                .rule(.shopPhone), "must be a possible phone number, with + and its calling code or with its region",
                "须为可能存在的电话号码，以 + 和国际区号开头，或同时提供 region"
            ),
            (.rule(.above(10)), "must be at most 10", "不得超过 10"),
            (.charactersAbove(100), "must be at most 100 characters", "不得超过 100 个字符"),
            (.rule(.yearsAhead(max: 5)), "must be at most 5 years ahead", "不得晚于 5 年之后"),
            (.rule(.zeroOrOutside(-50...50)), "must be -50 to 50 and not 0", "须为 -50 至 50，且不为 0"),
            (.oneOf(["all", "shop"]), "must be all or shop", "须为 all 或 shop"),
            (.oneOf(["a", "b", "c"]), "must be a, b or c", "须为 a、b 或 c"),
            (.someOf(["a", "b"]), "must be some of a, b, separated by commas", "须为 a、b 中的若干项，以逗号分隔"),
            (
                .header("Idempotency-Key", 1...255), "the Idempotency-Key header must be 1 to 255 visible ASCII characters",
                "Idempotency-Key 标头须为 1 至 255 个可见 ASCII 字符"
            ),
        ])
    func texts(_ fault: RequestFault, _ english: String, _ chinese: String) {
        #expect(fault.text(in: .english) == english)
        #expect(fault.text(in: .chinese) == chinese)
    }

    @Test("A request that prefers Chinese gets its faults in Chinese")
    func request() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let reply = try await me.patch("/v1/me", #"{"gender":"tea"}"#, headers: [.acceptLanguage: "zh-Hans"])
            try reply.expectProblem("invalidRequest", 400)
            #expect(try reply.json["errors"]?.items?.first?["detail"]?.string == "须为 female、male 或 other")
        }
    }
}
