internal import CommandService
internal import Composition
internal import Loyalty
internal import LoyaltyCodec

/// The spellings under which the service knows the names of a file.
///
/// Names are compared in the form of `asName`. Older versions compared bytes, and accounts and idempotency keys are derived from a name. So
/// a name that an older version imported in another form keeps that form: its visits are retries and do not count twice. No new account or
/// shop gets such a form, so a name never changes its form later.
struct Spellings {
    let service: GreenTea

    /// Gives all names of the history their known spelling, so that different spellings of one name become one customer or shop.
    ///
    /// - Returns: the terms with the known spelling of the import's name.
    func unify(_ history: inout VisitHistory, _ terms: ImportTerms) throws(ServiceError) -> ImportTerms {
        var terms = terms
        terms.name = try known(terms.name) { name throws(ServiceError) in
            let named = terms.named(name)
            for shop in history.shops.names {
                if try isOpened(shop, named) { return true }
                if try isOpened(shop.asName, named) { return true }
            }
            return false
        }
        let unified = terms
        try history.rename(
            customers: { name throws(ServiceError) in
                try known(name) { form throws(ServiceError) in
                    try service.account(ofIdentity: unified.customerIdentity(of: form)) != nil
                }
            },
            shops: { value throws(ServiceError) in try known(value) { form throws(ServiceError) in try isOpened(form, unified) } })
        return terms
    }

    /// The name itself if an older version imported it in this form; otherwise its common form.
    private func known(_ name: String, isKnown: (String) throws(ServiceError) -> Bool) throws(ServiceError) -> String {
        let common = name.asName
        if name.utf8.elementsEqual(common.utf8) { return common }
        return try isKnown(name) ? name : common
    }

    private func isOpened(_ shop: String, _ terms: ImportTerms) throws(ServiceError) -> Bool {
        guard let owner = try service.account(ofIdentity: terms.ownerIdentity(of: shop)) else { return false }
        let mark = ImportKeys(keys: service.keys, name: terms.keyName).mark(of: owner, ImportKeys.opening(of: shop))
        return try service.reading { try $0.facts(ofRequest: mark.request) } != nil
    }
}
