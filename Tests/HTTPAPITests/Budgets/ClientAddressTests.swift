import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

@Suite("Client addresses")
struct ClientAddressTests {
    @Test(
        "A client is identified by its IPv4 address or by its IPv6 network",
        arguments: [
            ("203.0.113.5", "203.0.113.5", true), ("203.0.113.5", "203.0.113.6", false), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("::ffff:203.0.113.5", "203.0.113.5", true),
            ("[2001:db8::1]", "2001:db8::2", true),
            ("::1", "::2", false),
        ])
    func networks(_ first: String, _ second: String, _ isOne: Bool) throws {
        let (first, second) = (try #require(ClientAddress(first)), try #require(ClientAddress(second)))
        #expect((first == second) == isOne)
    }

    @Test(
        "An address's text yields the same address",
        arguments: ["203.0.113.5", "0.0.0.0", "127.0.0.1", "2001:db8:1:2::1", "::1", "::2", "2001:0:0:1::", "ffff:ffff:ffff:ffff::"])
    func texts(_ text: String) throws {
        let address = try #require(ClientAddress(text))
        let copy = try #require(ClientAddress(address.text))
        #expect(copy == address && copy.isLoopback == address.isLoopback)
    }

    @Test("Invalid text yields no address", arguments: ["", "unknown", "203.0.113", "203.0.113.5:80", "example.org", "1.2.3.4.5"])
    func nonsense(_ text: String) {
        #expect(ClientAddress(text) == nil)
    }

    @Test("A loopback address is recognised", arguments: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
    func loopback(_ text: String) throws {
        #expect(try #require(ClientAddress(text)).isLoopback)
    }

    @Test(
        "The client address is the one that our outermost proxy saw, and earlier entries are ignored",
        arguments: [
            (0, "198.51.100.7"), (1, "203.0.113.3"), (2, "203.0.113.2"), (3, "203.0.113.1"), (4, "198.51.100.7"),
        ])
    func hops(_ trusted: Int, _ expected: String) throws {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: "198.51.100.7", port: 4_000)
        let header = "203.0.113.1, 203.0.113.2,203.0.113.3"
        let address = ClientAddress(forwarded: header, through: channel, trustedProxies: trusted)
        #expect(address == ClientAddress(expected))
    }
}
