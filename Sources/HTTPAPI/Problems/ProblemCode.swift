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
    case notFound
    case methodNotAllowed
    case cardNotFull
    case alreadyMerchant
    case campaignNotRunning
    case codeNotOpen
    case tooLarge
    case unsupportedMediaType
    case codeNotValid
    case redemptionNotValid
    case verificationNotValid
    case idempotencyKeyReused
    case rateLimited
    case `internal`
    case overloaded
    case notCaughtUp
    case stopping

    var status: HTTPResponse.Status {
        switch self {
        case .invalidRequest, .idempotencyKeyRequired: .badRequest
        case .unauthenticated, .tokenExpired: .unauthorized
        case .forbidden, .ownShop, .ownCampaign: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .cardNotFull, .alreadyMerchant, .campaignNotRunning, .codeNotOpen: .conflict
        case .tooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .codeNotValid, .redemptionNotValid, .verificationNotValid, .idempotencyKeyReused: .unprocessableContent
        case .rateLimited: .tooManyRequests
        case .internal: .internalServerError
        case .overloaded, .notCaughtUp, .stopping: .serviceUnavailable
        }
    }
}
