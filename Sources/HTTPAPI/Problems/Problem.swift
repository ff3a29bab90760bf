import CommandService
import HTTPTypes
import Images
import Loyalty
import NIOCore
import Projections

/// The reason why a request is refused, in no language.
struct Problem: Error, Sendable {
    let code: ProblemCode
    /// For `invalidRequest`.
    var errors: [FieldError] = []
    var retryAfterSeconds: Int64?
    /// For the header `Allow`.
    var allow: String?
    /// For `suspended`: false if a shop is.
    var isAboutAccount = false
    /// Refused because a loopback address prints no paper cards.
    var isAboutPaper = false
    var endsConnection = false
    /// Removes cookies that are no longer valid.
    var removesSession = false
    /// A text message could not be sent: logged as `textMessageFailed`, because it is no fault of the service.
    var isAboutMessage = false
    /// For the operator's log only, never sent to a client.
    var internalDetail: String?

    init(
        _ code: ProblemCode, errors: [FieldError] = [], retryAfterSeconds: Int64? = nil, allow: String? = nil,
        internalDetail: String? = nil
    ) {
        (self.code, self.errors, self.retryAfterSeconds) = (code, errors, retryAfterSeconds)
        (self.allow, self.internalDetail) = (allow, internalDetail)
    }

    static var accountSuspended: Problem {
        var problem = Problem(.suspended)
        problem.isAboutAccount = true
        return problem
    }

    static func unsent(_ error: any Error) -> Problem {
        var problem = Problem(
            .overloaded, retryAfterSeconds: Limits.messageRetrySeconds, internalDetail: "no text message was sent: \(error)")
        problem.isAboutMessage = true
        return problem
    }

    /// A link to a loopback address would lead each phone to itself.
    static var paperNotPrinted: Problem {
        var problem = Problem(.forbidden)
        problem.isAboutPaper = true
        return problem
    }

    /// - Parameter internalDetail: for a failure that does not end by itself.
    static func writerUnavailable(_ internalDetail: String? = nil) -> Problem {
        Problem(.writerUnavailable, retryAfterSeconds: Limits.writerRetrySeconds, internalDetail: internalDetail)
    }

    static func invalid(_ field: String, _ fault: RequestFault) -> Problem {
        Problem(.invalidRequest, errors: [FieldError(field: field, fault: fault)])
    }
}

/// Every reason for a refusal. Clients compare the raw value, which never changes.
enum ProblemCode: String, CaseIterable, Sendable {
    case invalidRequest
    case idempotencyKeyRequired
    case unauthenticated
    case tokenExpired
    case forbidden
    case ownShop
    case ownCampaign
    case suspended
    case roleRequired
    case reauthenticationRequired
    case notFound
    case methodNotAllowed
    case cardNotFull
    case cardLimitReached
    case milestoneNotOpen
    case couponClaimed
    case alreadyMerchant
    case campaignNotRunning
    case codeNotOpen
    case offerNotOpen
    case notReversible
    case shopClosed
    case badgeNotValid
    case campaignOver
    case versionConflict
    case tooLarge
    case unsupportedMediaType
    case codeNotValid
    case redemptionNotValid
    case paperNotValid
    case verificationNotValid
    case idempotencyKeyReused
    case preconditionRequired
    case rateLimited
    case `internal`
    case overloaded
    case notCaughtUp
    case stopping
    case writerUnavailable

    var status: HTTPResponse.Status {
        switch self {
        case .invalidRequest, .idempotencyKeyRequired: .badRequest
        case .unauthenticated, .tokenExpired: .unauthorized
        case .forbidden, .ownShop, .ownCampaign, .suspended, .roleRequired, .reauthenticationRequired: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .cardNotFull, .cardLimitReached, .alreadyMerchant, .campaignNotRunning, .codeNotOpen, .offerNotOpen: .conflict
        case .milestoneNotOpen, .couponClaimed, .notReversible, .shopClosed, .campaignOver: .conflict
        case .versionConflict: .preconditionFailed
        case .tooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .badgeNotValid, .paperNotValid, .codeNotValid, .redemptionNotValid, .verificationNotValid, .idempotencyKeyReused:
            .unprocessableContent
        case .preconditionRequired: .preconditionRequired
        case .rateLimited: .tooManyRequests
        case .internal: .internalServerError
        case .overloaded, .notCaughtUp, .stopping, .writerUnavailable: .serviceUnavailable
        }
    }
}

extension Problem {
    /// Maps an error of a lower layer. Any error not named here is a defect or a broken disk: the client gets `internal`, the log all
    /// details.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as ServiceError: self.init(service: error)
        case is AnswerElsewhere: self.init(.notFound)
        case is StaleNode: self.init(.notCaughtUp, retryAfterSeconds: Limits.writerRetrySeconds)
        case let rejection as Rejection: self.init(rejection: rejection)
        case let refusal as VerificationRefusal: self.init(verification: refusal)
        case let refusal as LiveRefusal: self.init(live: refusal)
        case let error as ImageError: self.init(image: error)
        case let error as ReadModelError where error.code == .tooMuch: self = .invalid("from", .reportTooLarge)
        case is NIOTooManyBytesError: self.init(.tooLarge)
        default: self.init(.internal, internalDetail: String(reflecting: error))
        }
    }

    private init(service error: ServiceError) {
        switch error {
        case .rejected(let rejection): self.init(rejection: rejection)
        case .idempotencyKeyReused: self.init(.idempotencyKeyReused)
        case .tooManyTries(let seconds): self.init(.rateLimited, retryAfterSeconds: seconds)
        case .overloaded: self.init(.overloaded, retryAfterSeconds: 1)
        case .stopping: self.init(.stopping, retryAfterSeconds: 5)
        case .notWriter, .writerUnavailable: self = .writerUnavailable()
        case .noSecondCopy(let detail): self = .writerUnavailable(detail)
        case .failed(let detail): self.init(.internal, internalDetail: detail)
        }
    }

    private init(verification refusal: VerificationRefusal) {
        switch refusal {
        case .wait(let seconds): self.init(.rateLimited, retryAfterSeconds: seconds)
        case .notServed: self = .invalid("phone", .form(.servedPhone))
        }
    }

    private init(live refusal: LiveRefusal) {
        switch refusal {
        case .tooManyOfAccount: self.init(.rateLimited, retryAfterSeconds: Limits.liveRetrySeconds)
        case .tooMany: self.init(.overloaded, retryAfterSeconds: Limits.liveRetrySeconds)
        case .beyondHead: self = .invalid("", .lastEventUnsent)
        }
    }

    private init(image error: ImageError) {
        switch error {
        case .unsupported: self.init(.unsupportedMediaType)
        case .tooLarge: self.init(.tooLarge)
        case .takenDown: self.init(.forbidden)
        case .busy: self.init(.overloaded, retryAfterSeconds: 2)
        case .failed(let detail): self.init(.internal, internalDetail: detail)
        }
    }

    private init(rejection: Rejection) {
        switch rejection {
        case .notFound: self.init(.notFound)
        case .forbidden: self.init(.forbidden)
        case .roleRequired: self.init(.roleRequired)
        case .ownShop: self.init(.ownShop)
        case .ownCampaign: self.init(.ownCampaign)
        case .suspended: self.init(.suspended)
        case .accountSuspended: self = .accountSuspended
        case .alreadyMerchant: self.init(.alreadyMerchant)
        case .campaignNotRunning: self.init(.campaignNotRunning)
        case .codeNotOpen: self.init(.codeNotOpen)
        case .offerNotOpen: self.init(.offerNotOpen)
        case .cardNotFull: self.init(.cardNotFull)
        case .milestoneNotOpen: self.init(.milestoneNotOpen)
        case .cardLimitReached: self.init(.cardLimitReached)
        case .couponClaimed: self.init(.couponClaimed)
        case .notReversible: self.init(.notReversible)
        case .shopClosed: self.init(.shopClosed)
        case .campaignOver: self.init(.campaignOver)
        case .stampedTooOften(let seconds), .requestedTooOften(let seconds): self.init(.rateLimited, retryAfterSeconds: seconds)
        case .codeNotValid: self.init(.codeNotValid)
        case .redemptionNotValid: self.init(.redemptionNotValid)
        case .paperNotValid: self.init(.paperNotValid)
        case .sessionNotValid: self.init(.unauthenticated)
        case .passwordNotValid: self.init(.verificationNotValid)
        case .secretTaken: self.init(.internal, internalDetail: "a derived code collided and was not derived anew")
        case .versionConflict: self.init(.versionConflict)
        case .versionRequired: self.init(.preconditionRequired)
        case .invalid(let fields): self.init(.invalidRequest, errors: fields.map { FieldError(field: $0.field, fault: .rule($0.fault)) })
        }
    }
}
