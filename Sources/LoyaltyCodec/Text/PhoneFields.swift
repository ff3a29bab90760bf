internal import Loyalty

/// Fields for the text form of events about changed phone numbers, and about suspensions and searches of accounts by operators.
extension PhoneChanged {
    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("sealedPhone", .sealed(sealedPhone))]
    }
}

extension PhoneChangeRequested {
    var fields: [FactField] {
        [
            FactField("account", .id(account)), FactField("holdsAt", .time(holdsAt)), FactField("reason", .typed(reason)),
            FactField("sealedPhone", .sealed(sealedPhone)),
        ]
    }
}

extension PhoneChangeEnded {
    var fields: [FactField] { [FactField("account", .id(account))] }
}

extension AccountSuspended {
    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("reason", .typed(reason))]
    }
}

extension AccountReinstated {
    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("reason", .typed(reason))]
    }
}

extension AccountSearched {
    var fields: [FactField] { account.map { [FactField("account", .id($0))] } ?? [] }
}
