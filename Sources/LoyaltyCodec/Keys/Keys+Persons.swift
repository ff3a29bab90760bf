public import Loyalty

/// Names and masks that stand for a person or a phone number, where the account id or the number must not be seen.
extension Keys {
    /// The author's name at one shop, as its public answers show it: 16 symbols of lower-case Crockford base 32, the first 80 bits of
    /// HMAC(shop ‖ account).
    ///
    /// It is the same in everything that the author says at that shop, so a shop recognizes its critic. Handles of one account at two
    /// shops cannot be linked, and none leads back to the account.
    public func handle(of account: AccountID, at shop: ShopID) -> String {
        let hash = authorHandle.hash(shop.value.bigEndianBytes + account.value.bigEndianBytes)
        var (text, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in hash.prefix(10) {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(Crockford.lowerCase[Int(bits >> count & 31)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The account that stands for a phone number which nobody registered, so that an offer to it is made and answered like any other.
    /// No account ever gets this id: ids that people get carry their time.
    public func nobody(withPhone number: String) -> AccountID {
        AccountID(phoneGuess.number(Array(number.utf8)))
    }

    // The first byte of each message under `phoneName` says what it is for, so that none of them is ever another's.

    /// The name of a number in the key store. No event contains it, so the log and the root secret do not lead to it.
    public func phoneName(of number: String) -> UInt128 {
        phoneName.number([0] + Array(number.utf8))
    }

    /// The secret that registrations store where older releases stored a hash of the number. It follows from the account alone, so it
    /// tells nothing about the number, and two registrations of one account still conflict on it.
    public func secret(inPlaceOfPhone account: AccountID) -> Secret {
        Secret(phoneName.number([1] + account.value.bigEndianBytes))
    }

    /// The value, hidden by a mask that follows from the salt and from the row's name. Masking again gives the value back.
    ///
    /// Rows of names are masked so that their bytes are nowhere else in the file, and can be zeroed wherever they are found.
    public func masked(_ value: UInt128, salt: UInt128, row: UInt128) -> UInt128 {
        value ^ phoneName.number([2] + salt.bigEndianBytes + row.bigEndianBytes)
    }

    /// The id of a picture that an account sends: the first 128 bits of HMAC(account ‖ digest).
    ///
    /// The same bytes of one account always have the same id, and those of two accounts never, so only its sender can name a picture.
    /// The id leads neither to its sender nor to its bytes.
    public func picture(digest: [UInt8], sentBy account: AccountID) -> ImageID {
        ImageID(picture.number(account.value.bigEndianBytes + digest))
    }
}
