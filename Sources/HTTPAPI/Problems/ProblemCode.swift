import HTTPTypes

/// Every way in which a request can be refused. The raw value is what clients compare; it never changes.
enum ProblemCode: String, CaseIterable, Sendable {
    case invalidRequest
    case idempotencyKeyRequired
    case unauthenticated
    case tokenExpired
    case forbidden
    case ownShop
    case ownCampaign
    case suspended
    case notFound
    case methodNotAllowed
    case cardNotFull
    case alreadyMerchant
    case campaignNotRunning
    case codeNotOpen
    case offerNotOpen
    case notReversible
    case versionConflict
    case tooLarge
    case unsupportedMediaType
    case codeNotValid
    case redemptionNotValid
    case verificationNotValid
    case idempotencyKeyReused
    case preconditionRequired
    case rateLimited
    case `internal`
    case overloaded
    case notCaughtUp
    case stopping

    var status: HTTPResponse.Status {
        switch self {
        case .invalidRequest, .idempotencyKeyRequired: .badRequest
        case .unauthenticated, .tokenExpired: .unauthorized
        case .forbidden, .ownShop, .ownCampaign, .suspended: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .cardNotFull, .alreadyMerchant, .campaignNotRunning, .codeNotOpen, .offerNotOpen, .notReversible: .conflict
        case .versionConflict: .preconditionFailed
        case .tooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .codeNotValid, .redemptionNotValid, .verificationNotValid, .idempotencyKeyReused: .unprocessableContent
        case .preconditionRequired: .preconditionRequired
        case .rateLimited: .tooManyRequests
        case .internal: .internalServerError
        case .overloaded, .notCaughtUp, .stopping: .serviceUnavailable
        }
    }
}
