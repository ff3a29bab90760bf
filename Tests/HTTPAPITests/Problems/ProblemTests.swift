import CommandService
import Composition
import HTTPTypes
import Loyalty
import Projections
import ReadModels
import Testing
import WebPages

@testable import HTTPAPI

@Suite("Problems")
struct ProblemTests {
    @Test("Every code has a title and a detail in every language", arguments: ProblemCode.allCases)
    func texts(_ code: ProblemCode) {
        let (english, chinese) = (ProblemText(code, in: .english), ProblemText(code, in: .chinese))
        for text in [english, chinese] { #expect(!text.title.isEmpty && !text.detail.isEmpty) }
        #expect(english.title.unicodeScalars.allSatisfy { $0.isASCII })
        #expect(!chinese.title.unicodeScalars.allSatisfy { $0.isASCII })
    }

    @Test("No two codes share a title")
    func distinct() {
        for language in PageLanguage.allCases {
            #expect(Set(ProblemCode.allCases.map { ProblemText($0, in: language).title }).count == ProblemCode.allCases.count)
        }
    }

    @Test("Each error of the lower layers maps to its code and status")
    func mapping() {
        for (error, code, status) in Self.mapped {
            let problem = Problem(error)
            #expect(problem.code == code)
            #expect(problem.code.status.code == status)
        }
    }

    @Test("A report that would read too much is blamed on the field `from`, and a damaged model is an internal error")
    func reports() {
        let problem = Problem(ReadModelError(.tooMuch, model: "journeys", "rows"))
        #expect(problem.code == .invalidRequest && problem.errors.map(\.field) == ["from"])
        #expect(Problem(ReadModelError(.damaged, model: "journeys", "a row")).code == .internal)
    }

    private static let mapped: [(ServiceError, ProblemCode, Int)] = [
        (.rejected(.notFound), .notFound, 404), (.rejected(.forbidden), .forbidden, 403), (.rejected(.ownShop), .ownShop, 403),
        (.rejected(.ownCampaign), .ownCampaign, 403), (.rejected(.alreadyMerchant), .alreadyMerchant, 409),
        (.rejected(.campaignNotRunning), .campaignNotRunning, 409), (.rejected(.codeNotOpen), .codeNotOpen, 409),
        (.rejected(.cardNotFull), .cardNotFull, 409), (.rejected(.codeNotValid), .codeNotValid, 422),
        (.rejected(.redemptionNotValid), .redemptionNotValid, 422), (.rejected(.sessionNotValid), .unauthenticated, 401),
        (.rejected(.secretTaken), .internal, 500), (.rejected(.invalid([])), .invalidRequest, 400),
        (.idempotencyKeyReused, .idempotencyKeyReused, 422), (.overloaded, .overloaded, 503), (.stopping, .stopping, 503),
        (.failed("disk /dev/sda1"), .internal, 500),
    ]

    @Test("An unforeseen error is internal, and its details are kept for the log")
    func unforeseen() {
        struct Strange: Error { let detail = "page 17" }
        let problem = Problem(Strange())
        #expect(problem.code == .internal)
        #expect(problem.internalDetail?.contains("page 17") == true)
    }
}
