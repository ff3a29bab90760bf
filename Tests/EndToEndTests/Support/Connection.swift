import Foundation

/// One blocking HTTP/1.1 connection to this machine.
///
/// URLSession does not fit. These tests need one connection per client and must know exactly which requests a killed server had
/// answered, so nothing else may retry, pool or redirect.
final class Connection {
    private let socket: Int32
    private var unread: [UInt8] = []

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw TestFailure("socket: errno \(errno)") }
        var timeout = timeval(tv_sec: 900, tv_usec: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // SAFETY: connect reads the address during the call only.
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestFailure("connect: errno \(errno)") }
    }

    deinit { close(socket) }

    /// Sends one request and waits for its answer.
    ///
    /// - Throws: if the connection closed first; the request may or may not have taken effect.
    func send(_ method: String, _ path: String, headers: [String: String], body: Data?, type: String = "application/json") throws -> Answer
    {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n" }
        try write(Array((text + "\r\n").utf8) + Array(body ?? Data()))
        return try readAnswer()
    }

    private func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            // SAFETY: send reads from the array during the call only. No signal is raised when the peer is gone.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(socket, buffer.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestFailure("send: errno \(errno)") }
            sent += count
        }
    }

    private func readAnswer() throws -> Answer {
        let head = try readHead().components(separatedBy: "\r\n")
        guard let status = head.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw TestFailure("not an HTTP answer: \(head)")
        }
        var headers: [String: String] = [:]
        for line in head.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return Answer(status: status, headers: headers, body: try readBody(headers))
    }

    private func readHead() throws -> String {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = Data(unread).range(of: Data(end)) {
                let head = String(decoding: unread[..<range.lowerBound], as: UTF8.self)
                unread.removeFirst(range.upperBound)
                return head
            }
            try receive()
        }
    }

    private func readBody(_ headers: [String: String]) throws -> Data {
        if headers["transfer-encoding"] == "chunked" { return try readChunks() }
        return try read(Int(headers["content-length"] ?? "0") ?? 0)
    }

    private func readChunks() throws -> Data {
        var body = Data()
        while true {
            guard let size = Int(try readLine(), radix: 16) else { throw TestFailure("not a chunk") }
            let chunk = try read(size)
            _ = try readLine()
            if size == 0 { return body }
            body += chunk
        }
    }

    private func readLine() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeFirst(end + 1)
                return line.trimmingCharacters(in: .newlines)
            }
            try receive()
        }
    }

    private func read(_ count: Int) throws -> Data {
        while unread.count < count { try receive() }
        defer { unread.removeFirst(count) }
        return Data(unread[..<count])
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        // SAFETY: recv writes at most the array's bytes into it.
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw TestFailure(count == 0 ? "the server closed the connection" : "recv: errno \(errno)") }
        unread += buffer[..<count]
    }
}
