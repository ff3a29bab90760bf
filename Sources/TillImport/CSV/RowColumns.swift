internal import Loyalty
internal import LoyaltyCodec

/// The indices of the columns that the import reads, by the header's names. Other columns are ignored.
struct RowColumns: Equatable {
    private let count: Int
    private let time: Int
    private let customer: Int
    private let shop: Int?
    private let latitude: Int?
    private let longitude: Int?
    private let stamps: Int?

    init(header: [String]) throws(ImportError) {
        let names = header.map { $0.asName.lowercased() }
        count = names.count
        time = try Self.required("visited_at", in: names)
        customer = try Self.required("customer", in: names)
        shop = try Self.optional("shop", in: names)
        latitude = try Self.optional("latitude", in: names)
        longitude = try Self.optional("longitude", in: names)
        stamps = try Self.optional("stamps", in: names)
        guard (latitude == nil) == (longitude == nil) else { throw .unusableHeader("latitude and longitude go together") }
    }

    /// The visit of a record's fields.
    ///
    /// - Parameter latest: the latest valid time of a visit.
    func row(_ fields: [String], latest: Instant = Instant(microseconds: .max)) throws(RowFault) -> VisitRow {
        guard fields.count == count else { throw RowFault("has \(fields.count) columns where the header has \(count)") }
        guard let time = Instant(rfc3339: fields[time].asName) else {
            throw RowFault("visited_at is no time like 2024-03-01T10:15:00Z: \(Self.shown(fields[time]))")
        }
        guard time.microseconds >= 0 else { throw RowFault("visited_at is before 1970: \(Self.shown(fields[self.time]))") }
        guard time <= latest else { throw RowFault("visited_at is in the future: \(Self.shown(fields[self.time]))") }
        let customer = fields[customer]
        let shop = shop.map { fields[$0] } ?? ""
        if self.shop != nil, shop.asName.isEmpty { throw RowFault("shop is empty") }
        return VisitRow(
            time: time, customer: customer.asName.isEmpty ? nil : customer, shop: shop, location: try location(fields),
            stamps: try stamps(fields))
    }

    /// 1 without the column or a value. More stamps than one code may give are a fault.
    private func stamps(_ fields: [String]) throws(RowFault) -> Int {
        guard let stamps, case let text = fields[stamps].asName, !text.isEmpty else { return 1 }
        let range = Loyalty.Limits.codeStamps
        guard let number = Int(text), range.contains(number) else {
            throw RowFault("stamps is no number from \(range.lowerBound) to \(range.upperBound): \(Self.shown(fields[stamps]))")
        }
        return number
    }

    private func location(_ fields: [String]) throws(RowFault) -> Coordinate? {
        guard let latitude, let longitude else { return nil }
        let (north, east) = (fields[latitude].asName, fields[longitude].asName)
        if north.isEmpty, east.isEmpty { return nil }
        guard let north = Double(north), let east = Double(east) else {
            throw RowFault("latitude and longitude are no numbers: \(Self.shown(north)), \(Self.shown(east))")
        }
        let location = Coordinate(latitude: north, longitude: east)
        guard location.isOnEarth else {
            throw RowFault("no such place: latitude must be within ±90 and longitude within ±180 degrees, not \(north), \(east)")
        }
        return location
    }

    private static func required(_ name: String, in names: [String]) throws(ImportError) -> Int {
        guard let index = try optional(name, in: names) else { throw .unusableHeader("it has no column \(name)") }
        return index
    }

    private static func optional(_ name: String, in names: [String]) throws(ImportError) -> Int? {
        guard names.count(where: { $0 == name }) <= 1 else { throw .unusableHeader("it has the column \(name) twice") }
        return names.firstIndex(of: name)
    }

    private static func shown(_ text: String) -> String {
        let printable = text.unicodeScalars.prefix(40).map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : String($0) }
        return "\"" + printable.joined() + (text.unicodeScalars.count > 40 ? "…" : "") + "\""
    }
}

/// One well-formed row.
struct VisitRow: Equatable {
    let time: Instant
    /// As spelled in the file; nil for an anonymous payment.
    let customer: String?
    let shop: String
    let location: Coordinate?
    var stamps = 1
}

/// The reason why a record is not a visit.
struct RowFault: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
