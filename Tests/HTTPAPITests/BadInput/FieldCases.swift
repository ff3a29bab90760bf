import Testing

/// Invalid values for each field of each route.
enum FieldCases {
    /// A request in which one field has an invalid value, and the JSON pointer to this field, which the answer must contain.
    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let field: String
        let value: String
        var pointer: String { "/" + field.replacing(".", with: "/") }
        var testDescription: String { "\(path) \(field) = \(value.prefix(40))" }
    }

    private static let long = "\"" + String(repeating: "长", count: 2_001) + "\""
    /// Values that are invalid for every field.
    private static let nonsense = ["{}", "[]", "[1]", "{\"a\":{}}"]

    private static func cases(_ path: String, _ fields: [(String, [String])]) -> [Case] {
        fields.flatMap { field, values in (values + nonsense).map { Case(path: path, field: field, value: $0) } }
    }

    static let shop = cases(
        "shops",
        [
            ("name", ["null", "1", "true", "\"\"", "\" \"", "\"\\u0000\"", "\"a\\nb\"", "\"\u{200B}\"", "\"\\u009f\"", long]),
            ("phone", ["null", "1", "\"\"", "\"call us\"", "\"１２３\"", "\"<b>\"", long]),
            ("address", ["null", "1", "\"\"", "\"\\u0007\"", long]),
            ("location.latitude", ["null", "\"1\"", "1e999", "-1e999", "true"]),
            ("location.longitude", ["null", "\"1\"", "1e999", "false"]), ("images", ["1", "\"x\"", "[\"img_1\"]"].filter { $0 != "[]" }),
        ]
    ).filter { !($0.field == "images" && $0.value == "[]") }

    static let campaign = cases(
        "campaigns",
        [
            ("kind", ["null", "1", "\"\"", "\"stampcard\"", "\"card\""]), ("title", ["null", "\"\"", "\"\\t\"", long]),
            ("details", ["null", "1", "\"\\u0000\"", long]),
            ("goal", ["null", "0", "51", "-1", "1.5", "\"3\"", "1e30", "true", "9223372036854775808"]),
            ("reward", ["null", "1", "\"\"", "\"\\u202a\"", long]),
            ("startsAt", ["null", "1", "\"\"", "\"tomorrow\"", "\"2026-13-01T00:00:00Z\"", "\"2026-11-01\"", "\"2039-01-01T00:00:00Z\""]),
            (
                "endsAt",
                [
                    "null", "\"\"", "\"2026-02-30T00:00:00Z\"", "\"2026-11-01T00:00:00Z\"", "\"2020-01-01T00:00:00Z\"",
                    "\"9999-12-31T23:59:59Z\"",
                ]
            ),
            ("image", ["1", "\"img_1\""]),
        ])

    static let others =
        cases("stamps", [("code", ["null", "1", "true"]), ("campaign", ["1", "true"])])
        + cases("redemptions", [("code", ["null", "1", "false"])]) + cases("preview", [("code", ["null", "1"])])
        + cases("codes", [("stamps", ["0", "11", "-1", "1.5", "\"1\"", "1e400"]), ("validFor", ["0", "86401", "-1", "0.5", "\"1\""])])
        + cases(
            "reviews",
            [("rating", ["0", "6", "-1", "4.5", "\"5\""]), ("text", ["1", "\"\"", "\" \\n \"", "\"\\u0000\"", "\"\\u200d\"", long])])
        + cases("replies", [("text", ["null", "1", "\"\"", "\"\\n\"", "\"\\u001b[31m\"", long])])
        + cases(
            "verifications",
            [("phone", ["null", "1", "\"\"", "\"13800138000\"", "\"+0123456789\"", "\"+86 138\"", "\"+1234567\""])])
        + cases("sessions", [("phone", ["null", "\"\"", "\"x\""]), ("code", ["1", "true"])])
        + cases("refresh", [("refreshToken", ["null", "1"])])
}
