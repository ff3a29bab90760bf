import Loyalty
import LoyaltyCodec
import Testing
@testable import TillImport

@Suite struct RowColumnsTests {
    private static let time = "2024-03-01T10:15:00Z"

    @Test("Columns are found by name in any order and case, and other columns are ignored")
    func anyOrder() throws {
        let columns = try RowColumns(header: ["amount", "Longitude", "shop", " customer ", "LATITUDE", "visited_at"])
        let row = try columns.row(["3.50", "24.9", "Kallio", "guest", "60.2", Self.time])
        let time = try #require(Instant(rfc3339: Self.time))
        #expect(row == VisitRow(time: time, customer: "guest", shop: "Kallio", location: Coordinate(latitude: 60.2, longitude: 24.9)))
    }

    @Test("The columns visited_at and customer are enough")
    func twoColumnsAreEnough() throws {
        let columns = try RowColumns(header: ["visited_at", "customer"])
        let row = try columns.row([Self.time, "guest"])
        #expect(row.shop.isEmpty && row.location == nil && row.customer == "guest")
    }

    @Test("A blank customer is read as no customer", arguments: ["", " ", "\t"])
    func blankCustomer(_ customer: String) throws {
        #expect(try RowColumns(header: ["visited_at", "customer"]).row([Self.time, customer]).customer == nil)
    }

    @Test(
        "A header that lacks a required column, repeats one or has half a location is refused",
        arguments: [
            [], ["visited_at"], ["customer"], ["visited_at", "customer", "customer"], ["visited_at", "customer", "latitude"],
            ["visited_at", "customer", "longitude"], ["visited_at;customer"],
        ])
    func badHeader(_ header: [String]) {
        #expect { try RowColumns(header: header) } throws: { error in
            guard case .unusableHeader = error as? ImportError else { return false }
            return true
        }
    }

    @Test(
        "A row with a missing, superfluous or invalid field is a fault",
        arguments: [
            ["2024-03-01T10:15:00Z", "guest"],
            ["2024-03-01T10:15:00Z", "guest", "A", "60", "24", "more"],
            ["yesterday", "guest", "A", "60", "24"],
            ["2024-02-30T10:15:00Z", "guest", "A", "60", "24"],
            ["2024-03-01 10:15", "guest", "A", "60", "24"],
            ["1969-12-31T23:59:59Z", "guest", "A", "60", "24"],
            ["2024-03-01T10:15:00Z", "guest", "", "60", "24"],
            ["2024-03-01T10:15:00Z", "guest", "A", "91", "24"],
            ["2024-03-01T10:15:00Z", "guest", "A", "nan", "24"],
            ["2024-03-01T10:15:00Z", "guest", "A", "inf", "24"],
            ["2024-03-01T10:15:00Z", "guest", "A", "60", ""],
            ["2024-03-01T10:15:00Z", "guest", "A", "60,1", "24"],
        ])
    func malformedRow(_ fields: [String]) throws {
        let columns = try RowColumns(header: ["visited_at", "customer", "shop", "latitude", "longitude"])
        #expect(throws: RowFault.self) { try columns.row(fields) }
    }

    @Test(
        "A row's stamps are read from their column, and a blank field or an absent column means one stamp",
        arguments: [("", 1), (" ", 1), ("1", 1), ("10", 10)])
    func stampsColumn(_ text: String, _ stamps: Int) throws {
        #expect(try RowColumns(header: ["stamps", "visited_at", "customer"]).row([text, Self.time, "guest"]).stamps == stamps)
        #expect(try RowColumns(header: ["visited_at", "customer"]).row([Self.time, "guest"]).stamps == 1)
    }

    @Test(
        "A number of stamps that is not an integer from 1 to 10 is a fault",
        arguments: ["0", "-1", "11", "1.5", "two", "9999999999999999999999"])
    func stampsRange(_ text: String) throws {
        let columns = try RowColumns(header: ["visited_at", "customer", "stamps"])
        #expect(throws: RowFault.self) { try columns.row([Self.time, "guest", text]) }
    }

    @Test("A shop without coordinates has no location and is no fault")
    func noCoordinates() throws {
        let columns = try RowColumns(header: ["visited_at", "customer", "shop", "latitude", "longitude"])
        #expect(try columns.row([Self.time, "guest", "A", "", ""]).location == nil)
    }

    @Test("The reason of a fault shows no control characters")
    func controlCharacters() throws {
        let columns = try RowColumns(header: ["visited_at", "customer"])
        #expect { try columns.row(["\u{1B}[2Jbad\n", "guest"]) } throws: { error in
            (error as? RowFault)?.reason.contains("?[2Jbad?") == true
        }
    }
}
