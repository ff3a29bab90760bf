/// A shop's unsealed contact data.
public struct ShopContact: Hashable, Sendable {
    public let name: String
    public let phone: String
    public let address: String
    public let location: Coordinate

    public init(name: String, phone: String, address: String, location: Coordinate) {
        (self.name, self.phone, self.address, self.location) = (name, phone, address, location)
    }
}

/// A shop's contact data as the log stores it; decisions never decrypt it.
public enum HeldContact: Hashable, Sendable {
    /// From an older version, or from a service without keys.
    case clear(ShopContact)
    case sealed(Sealed)
    /// The owner was erased. Only states have this case, never events.
    case erased

    public var open: ShopContact? { if case .clear(let contact) = self { contact } else { nil } }
}

/// A place on Earth: latitude and longitude in degrees (WGS 84).
public struct Coordinate: Hashable, Sendable {
    public let latitude: Double
    public let longitude: Double

    public init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }

    /// False for NaN and infinities.
    public var isOnEarth: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }
}

/// A shop's phone number is only displayed, so any national grouping is allowed.
enum PhoneNumber {
    static func fault(in text: String) -> FieldFault? {
        let bytes = text.utf8
        guard Limits.shopPhoneCharacters.contains(bytes.count), bytes.allSatisfy(isAllowed), bytes.contains(where: isDigit) else {
            return .shopPhone
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: ")"): true
        default: isDigit(byte)
        }
    }
}

extension FieldChecks {
    mutating func require(shopPhone phone: String) { if let fault = PhoneNumber.fault(in: phone) { require(false, "phone", fault) } }

    mutating func require(place: Coordinate) { require(place.isOnEarth, "location", .notOnEarth) }

    /// Bounds the size of the event. The data was checked before sealing.
    mutating func require(sealedContact sealed: Sealed?) {
        require(sealed.map { Limits.sealedContactBytes.contains($0.bytes.count) } ?? true, "name", .tooLong)
    }

    /// The caller checks that the images exist.
    mutating func require(_ images: [ImageID]) {
        require(Limits.shopImages.contains(images.count), "images", .above(Limits.shopImages.upperBound))
        require(Set(images).count == images.count, "images", .repeatedImage)
    }
}
