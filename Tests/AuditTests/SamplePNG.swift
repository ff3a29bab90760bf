import Foundation

/// Encodes small pictures without a codec: a PNG whose pixels are stored uncompressed (RFC 1951, 3.2.4).
enum SamplePNG {
    /// Returns a PNG file with grey pixels. Every seed gives other pixels.
    static func file(width: Int, height: Int, seed: UInt8) -> [UInt8] {
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width {
                let grey: Int = x * 7 + y * 31 + Int(seed) * 17 + x / 8
                rows.append(UInt8(truncatingIfNeeded: grey))
            }
        }
        let length = UInt16(rows.count)
        var stored: [UInt8] = [0x78, 0x01, 0x01]
        stored += little(length)
        stored += little(~length)
        stored += rows
        stored += big(adler(rows))
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += chunk("IHDR", big(UInt32(width)) + big(UInt32(height)) + [8, 0, 0, 0, 0])
        file += chunk("IDAT", stored)
        file += chunk("IEND", [])
        return file
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        return big(UInt32(content.count)) + named + big(checksum(named))
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: number >> shift) }
    }

    private static func little(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)] }
}
