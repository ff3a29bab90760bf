internal import CommandService
internal import Composition
internal import LoyaltyCodec

/// The spellings under which the service knows the names of a file.
///
/// Older versions compared bytes, not `asName`, and accounts and keys derive from names. So a name that was imported in another form keeps
/// it, or its visits would count twice.
struct Spellings {
    let service: GreenTea

    /// Gives all names their known spelling, so that spellings of one name become one customer or shop. Returns the terms with theirs.
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
