import Audit
import Testing

/// Parsing of audit intervals in the notation that operators use.
@Suite struct AuditScheduleTests {
    @Test(
        "A schedule is parsed to its seconds and written as the same text",
        arguments: [("every:1h", 3_600), ("every:30s", 30), ("every:90m", 5_400), ("every:1s", 1), ("every:720h", 30 * 86_400)])
    func aScheduleIsParsed(text: String, seconds: Int) {
        #expect(AuditSchedule(text: text)?.seconds == seconds)
        #expect(AuditSchedule(text: text).map(\.description) == text)
    }

    @Test("A schedule can be off, and the standard one is hourly")
    func aScheduleCanBeOff() {
        #expect(AuditSchedule(text: "off") == .off)
        #expect(AuditSchedule.off.seconds == nil && "\(AuditSchedule.off)" == "off")
        #expect("\(AuditSchedule.standard)" == "every:1h")
    }

    @Test(
        "A text of another form, or an interval not from one second to 720 hours, is no schedule",
        arguments: [
            "", "on", "1h", "every:", "every:h", "every:0s", "every:-1h", "every:1d", "every:1", "every: 1h", "every:1h ", "every:721h",
            "every:99999999999999999999h", "every:١h", "Every:1h",
        ])
    func otherTexts(text: String) { #expect(AuditSchedule(text: text) == nil) }
}
