import Testing
import TextMessages

@Suite struct SignatureTests {
    private let signature = try! WebhookSignature(secret: Array("0123456789abcdef".utf8))
    private let body = Array(#"{"to":"+8613800138000"}"#.utf8)

    /// The expected value was computed independently:
    /// `printf '1795251600.{"to":"+8613800138000"}' | openssl dgst -sha256 -hmac 0123456789abcdef`.
    @Test("A signature equals the one that OpenSSL computes")
    func likeOpenSSL() {
        let code = "e195479844d5b512eec86894441b1ed02b0846e8c472ddfc25444c513e94ddeb"
        #expect(signature.header(of: body, at: 1_795_251_600) == "t=1795251600,v1=" + code)
    }

    @Test("A signature is valid only for its body and secret, and within five minutes of its time")
    func bodyAndTime() throws {
        let header = signature.header(of: body, at: 1_000)
        #expect(signature.isValid(header, of: body, now: 1_000))
        #expect(signature.isValid(header, of: body, now: 1_300) && signature.isValid(header, of: body, now: 700))
        #expect(!signature.isValid(header, of: body, now: 1_301) && !signature.isValid(header, of: body, now: 699))
        #expect(!signature.isValid(header, of: body + [32], now: 1_000))
        #expect(!signature.isValid(header.replacing("t=1000", with: "t=1001"), of: body, now: 1_000))
        let other = try WebhookSignature(secret: Array("0123456789abcdeX".utf8))
        #expect(!other.isValid(header, of: body, now: 1_000))
    }

    @Test(
        "A malformed signature is invalid",
        arguments: [
            "", "t=", "t=1000", "t=1000,", "v1=00", "t=x,v1=00", "t=-9223372036854775808,v1=00", "t=-9223372036854774808,v1=00",
            "t=1000,v1=00",
        ])
    func malformed(_ header: String) {
        #expect(!signature.isValid(header, of: body, now: 1_000))
    }
}
