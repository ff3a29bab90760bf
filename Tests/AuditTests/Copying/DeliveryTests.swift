import Archive
import Audit
import Histories
import Testing

/// A backup that is sent to a command.
@Suite struct DeliveryTests {
    @Test("A folder that cannot be listed is not sent as an empty one")
    func unreadable() throws {
        let folder = TestData().path + "/none"
        #expect(auditCode { try Delivery(through: "cat > /dev/null").send(folder, "none") } == .output)
    }
}
