public import Loyalty

/// How an account is found by its phone without a word about the phone in the log.
///
/// The first byte of each message says what it is for, so that none of them is ever another's.
extension Keys {
    /// The name of a number in the key store. It is in no event: who has the log and the root secret learns nothing from it.
    public func phoneName(of number: String) -> UInt128 {
        phoneName.number([0] + Array(number.utf8))
    }

    /// What the log holds of an account in the place where older releases put a hash of the number. It follows from the account alone, so
    /// that it says nothing of the number, and two registrations of one account still meet in it.
    public func secret(inPlaceOfPhone account: AccountID) -> Secret {
        Secret(phoneName.number([1] + account.value.bigEndianBytes))
    }

    /// The value, hidden by a mask that follows from the salt and from the row's name. Masking again gives the value back.
    ///
    /// Rows of names are masked so that their bytes are nowhere else in the file, and can be zeroed wherever they are found.
    public func masked(_ value: UInt128, salt: UInt128, row: UInt128) -> UInt128 {
        value ^ phoneName.number([2] + salt.bigEndianBytes + row.bigEndianBytes)
    }
}
