extension Shop {
    /// Whether this account owns the shop or works for it: it acts for the shop, and therefore never as its customer.
    public func employs(_ account: AccountID) -> Bool {
        owner == account || staff.contains(account)
    }
}
