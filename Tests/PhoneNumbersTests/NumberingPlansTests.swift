import PhoneNumbers
import Testing

@Suite("Numbers as people write them", .timeLimit(.minutes(15)))
struct NumberingPlansTests {
    @Test("A number in national form with its region, and in international form without, is the same number", arguments: WrittenNumber.all)
    func written(_ number: WrittenNumber) throws {
        let region = try #require(PhoneRegion(number.region))
        #expect(NumberingPlans.number(in: number.national, region: region) == number.e164)
        #expect(NumberingPlans.number(in: number.international) == number.e164)
        #expect(NumberingPlans.number(in: number.international, region: PhoneRegion("CN")) == number.e164)
        #expect(NumberingPlans.number(in: number.e164) == number.e164)
        #expect(NumberingPlans.region(of: number.e164) == region)
    }

    @Test("The table has at least 40 countries, each once")
    func countries() {
        #expect(Set(WrittenNumber.all.map(\.region)).count == WrittenNumber.all.count)
        #expect(WrittenNumber.all.count >= 40)
    }

    @Test(
        "A text that is no possible number, or that no region completes, is refused",
        arguments: [
            "", " ", "+", "12", "13800138000", "0044 20 7946 0958", "020 7946 0958", "+44 20 7946", "+1 555 1234", "+999123456789",
            "+0123456789", "+442079460958 ext. 5", "+442079460958x5", "+1-800-FLOWERS", "tel:+442079460958", "+44\u{0}2079460958",
            "+44 20 7946 0958 +1 303 555 1234", "+44207946095812345678", "+44 20 7946 0958,,5", "+44 20 7946 0958 #5",
            String(repeating: "+", count: 65), "+44 20 7946 0958" + String(repeating: " ", count: 64),
        ])
    func refused(_ text: String) {
        #expect(NumberingPlans.number(in: text) == nil)
    }

    @Test("A number that can be dialled only within its area is refused")
    func local() {
        #expect(NumberingPlans.number(in: "555 1234", region: PhoneRegion("US")) == nil)
        #expect(NumberingPlans.number(in: "7946 0958", region: PhoneRegion("GB")) == nil)
    }

    @Test(
        "A possible number that the plan does not know is taken, and has the main region of its calling code",
        arguments: [("+15550000001", "US"), ("+445000000001", "GB"), ("+70000000001", "RU"), ("+80012345678", nil), ("+999123456789", nil)])
    func unknown(_ number: String, _ region: String?) {
        if region != nil { #expect(NumberingPlans.number(in: number) == number) }
        #expect(NumberingPlans.region(of: number)?.code == region)
    }

    @Test(
        "Digits of other scripts, and the invisible characters of address books, are read",
        arguments: ["＋４４ ２０ ７９４６ ０９５８", "\u{202A}+44 20 7946 0958\u{202C}", "\u{200E}(+44) 20\u{A0}7946\u{2011}0958", "+٤٤٢٠٧٩٤٦٠٩٥٨"])
    func scripts(_ text: String) {
        #expect(NumberingPlans.number(in: text) == "+442079460958")
    }

    @Test("A zero that belongs to the number stays, and one that only dials it goes")
    func zeros() {
        #expect(NumberingPlans.number(in: "+86013912345678") == "+8613912345678")
        #expect(NumberingPlans.number(in: "+44 (0)20 7946 0958") == "+442079460958")
        #expect(NumberingPlans.number(in: "+39 06 1234 5678") == "+390612345678")
    }

    @Test("Only two letters of a region with a plan are a region")
    func regions() {
        #expect(PhoneRegion("gb") == PhoneRegion("GB"))
        #expect(PhoneRegion("GB")?.callingCode == 44)
        for text in ["", "G", "GBR", "ZZ", "001", "４４", "G1", "AQ"] { #expect(PhoneRegion(text) == nil) }
        #expect(NumberingPlans.regions.count > 200)
        #expect(NumberingPlans.regions.contains { $0.code == "CN" })
    }

    @Test("Many threads may parse at once")
    func threads() async {
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<64 { group.addTask { NumberingPlans.number(in: "+44 (0)20 7946 0958") } }
            for await number in group { #expect(number == "+442079460958") }
        }
    }
}

/// A number as people in its region write it, nationally and internationally.
struct WrittenNumber: Sendable, CustomTestStringConvertible {
    let region: String
    let national: String
    let international: String
    let e164: String

    var testDescription: String { region + " " + national }

    private init(_ region: String, _ national: String, _ international: String, _ e164: String) {
        (self.region, self.national, self.international, self.e164) = (region, national, international, e164)
    }

    static let all = [
        Self("AE", "050 123 4567", "+971 50 123 4567", "+971501234567"),
        Self("AR", "011 15-2345-6789", "+54 9 11 2345-6789", "+5491123456789"),
        Self("AT", "0664 123 45 67", "+43 (0)664 123 45 67", "+436641234567"),
        Self("AU", "0412 345 678", "+61 412 345 678", "+61412345678"),
        Self("BD", "01812-345678", "+880 1812-345678", "+8801812345678"),
        Self("BE", "0470 12 34 56", "+32 (0)470 12 34 56", "+32470123456"),
        Self("BR", "(11) 96123-4567", "+55 11 96123-4567", "+5511961234567"),
        Self("CA", "(506) 234-5678", "+1 506-234-5678", "+15062345678"),
        Self("CH", "078 123 45 67", "+41 (0)78 123 45 67", "+41781234567"),
        Self("CL", "(2) 2123 4567", "+56 2 2123 4567", "+56221234567"),
        Self("CN", "138 0013 8000", "+86 138-0013-8000", "+8613800138000"),
        Self("CO", "321 1234567", "+57 321 1234567", "+573211234567"),
        Self("CZ", "601 123 456", "+420 601 123 456", "+420601123456"),
        Self("DE", "0151 2345 6789", "+49 (0)151 23456789", "+4915123456789"),
        Self("DK", "32 12 34 56", "+45 32 12 34 56", "+4532123456"),
        Self("EG", "010 01234567", "+20 10 01234567", "+201001234567"),
        Self("ES", "612 34 56 78", "+34 612 34 56 78", "+34612345678"),
        Self("FI", "041 2345678", "+358 41 2345678", "+358412345678"),
        Self("FR", "06.12.34.56.78", "+33 (0)6 12 34 56 78", "+33612345678"),
        Self("GB", "020 7946 0958", "+44 (0)20 7946 0958", "+442079460958"),
        Self("GR", "691 234 5678", "+30 691 234 5678", "+306912345678"),
        Self("HK", "5123 4567", "+852 5123 4567", "+85251234567"),
        Self("HU", "06 20 123 4567", "+36 20 123 4567", "+36201234567"),
        Self("ID", "0812-3456-789", "+62 812-3456-789", "+628123456789"),
        Self("IE", "085 012 3456", "+353 (0)85 012 3456", "+353850123456"),
        Self("IL", "050-234-5678", "+972-50-234-5678", "+972502345678"),
        Self("IN", "081234 56789", "+91 81234 56789", "+918123456789"),
        Self("IT", "06 1234 5678", "+39 06 1234 5678", "+390612345678"),
        Self("JP", "090-1234-5678", "+81 90-1234-5678", "+819012345678"),
        Self("KE", "0712 123456", "+254 712 123456", "+254712123456"),
        Self("KR", "010-2000-0000", "+82 10-2000-0000", "+821020000000"),
        Self("MX", "55 1234 5678", "+52 1 55 1234 5678", "+525512345678"),
        Self("MY", "012-345 6789", "+60 12-345 6789", "+60123456789"),
        Self("NG", "0802 123 4567", "+234 802 123 4567", "+2348021234567"),
        Self("NL", "06 12345678", "+31 (0)6 12345678", "+31612345678"),
        Self("NO", "406 12 345", "+47 406 12 345", "+4740612345"),
        Self("NU", "4002", "+683 4002", "+6834002"),
        Self("NZ", "021 123 4567", "+64 21 123 4567", "+64211234567"),
        Self("PH", "0905 123 4567", "+63 905 123 4567", "+639051234567"),
        Self("PK", "0301 2345678", "+92 301 2345678", "+923012345678"),
        Self("PL", "512 345 678", "+48 512 345 678", "+48512345678"),
        Self("PT", "912 345 678", "+351 912 345 678", "+351912345678"),
        Self("RO", "0712 034 567", "+40 712 034 567", "+40712034567"),
        Self("RU", "8 (912) 345-67-89", "+7 912 345-67-89", "+79123456789"),
        Self("SA", "051 234 5678", "+966 51 234 5678", "+966512345678"),
        Self("SE", "070-123 45 67", "+46 (0)70 123 45 67", "+46701234567"),
        Self("SG", "8123 4567", "+65 8123 4567", "+6581234567"),
        Self("TH", "081 234 5678", "+66 81 234 5678", "+66812345678"),
        Self("TR", "0501 234 56 78", "+90 501 234 56 78", "+905012345678"),
        Self("TW", "0912 345 678", "+886 912 345 678", "+886912345678"),
        Self("UA", "050 123 4567", "+380 50 123 4567", "+380501234567"),
        Self("US", "1 303 555 1234", "+1 (303) 555-1234", "+13035551234"),
        Self("VN", "091 234 56 78", "+84 91 234 56 78", "+84912345678"),
        Self("ZA", "071 123 4567", "+27 (0)71 123 4567", "+27711234567"),
    ]
}
