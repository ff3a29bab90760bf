import Foundation
import Loyalty

/// Five thousand real cafés, available if the file exists.
enum CafeFile {
    static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../shared/data/cafes.csv").standardized.path
    static var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns a town with the cafés of the file as its shops. Every tenth shop has a campaign.
    static func town() throws -> Town {
        var town = Town()
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst() {
            let fields = fields(of: line)
            guard fields.count == 7, let latitude = Double(fields[2]), let longitude = Double(fields[3]) else { continue }
            let place = Coordinate(latitude: latitude, longitude: longitude)
            let shop = town.open(fields[1], address: "\(fields[5]) \(fields[6]) \(fields[4])", at: place)
            if shop % 10 == 0 { town.publish("Kymmenen kuppia", at: shop) }
        }
        return town
    }

    /// Parses one line of CSV; no café's name contains a line break.
    private static func fields(of line: Substring) -> [String] {
        var (fields, isQuoted) = ([""], false)
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: fields.append("")
            default: fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}
