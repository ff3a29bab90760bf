/// What a shop says of itself, whether it opens or is edited.
extension FieldChecks {
    mutating func require(shopPhone phone: String) {
        if let complaint = PhoneNumber.complaint(about: phone) { require(false, "phone", complaint) }
    }

    mutating func require(place: Coordinate) {
        require(place.isOnEarth, "location", "must be a latitude within ±90 and a longitude within ±180 degrees")
    }

    /// What it says was checked in the clear; here its bytes, which bound the event record.
    mutating func require(sealedContact sealed: Sealed?) {
        require(sealed.map { Limits.sealedContactBytes.contains($0.bytes.count) } ?? true, "name", "is too long")
    }

    /// Whether they exist is not known here.
    mutating func require(_ images: [ImageID]) {
        require(Limits.shopImages.contains(images.count), "images", "must be at most \(Limits.shopImages.upperBound)")
        require(Set(images).count == images.count, "images", "must have each image once")
    }
}
