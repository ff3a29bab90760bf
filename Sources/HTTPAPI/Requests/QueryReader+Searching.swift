import Loyalty
import Search

extension QueryReader {
    /// `near=LATITUDE,LONGITUDE` and `radius=METRES`.
    mutating func near() -> Near? {
        let center = value("near", "must be a latitude within ±90 and a longitude within ±180, as 31.2304,121.4737", Self.coordinate)
        let range = SearchLimits.radiusMeters
        let detail = "must be \(Int(range.lowerBound)) to \(Int(range.upperBound)) metres"
        let radius = value("radius", detail) { text in Self.decimal(text[...]).flatMap { range.contains($0) ? $0 : nil } }
        guard let center else {
            if text("near") == nil, text("radius") != nil { complain("radius", "needs near") }
            return nil
        }
        return Near(center: center, radiusMeters: radius ?? SearchLimits.radiusMetersDefault)
    }

    /// `q`; a blank one asks for nothing in particular.
    mutating func searchedText() -> String? {
        let text = value("q", "must be at most \(SearchLimits.queryCharactersMax) characters") { text in
            text.unicodeScalars.count <= SearchLimits.queryCharactersMax ? text : nil
        }
        return text?.allSatisfy(\.isWhitespace) ?? true ? nil : text
    }

    /// `sort`: by distance where a place is named, else by age.
    mutating func sort(near: Near?) -> DiscoverySort {
        let sort = value("sort", "must be distance, newest or popular") { DiscoverySort(rawValue: $0) }
        if sort == .distance, text("near") == nil { complain("sort", "by distance needs near") }
        return sort ?? (near == nil ? .newest : .distance)
    }

    private static func coordinate(_ text: String) -> Coordinate? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = decimal(parts[0]), let longitude = decimal(parts[1]) else { return nil }
        let place = Coordinate(latitude: latitude, longitude: longitude)
        return place.isOnEarth ? place : nil
    }

    /// Digits with a point and a sign: no exponents, no hexadecimal, no infinities, all of which `Double` reads too.
    private static func decimal(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 32, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D })
        else { return nil }
        return Double(text)
    }
}
