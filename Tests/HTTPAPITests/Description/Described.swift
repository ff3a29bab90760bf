@testable import HTTPAPI

/// The parts of the served API description that the tests examine.
struct Described {
    struct Operation {
        let method: String
        let path: String
        let id: String
        let summary: String
        let who: [String]
        let statuses: [Int]
        /// The problem codes of each status.
        let refusals: [Int: [String]]

        /// The method and path, such as `POST /v1/stamps`.
        var name: String { "\(method) \(path)" }
    }

    let operations: [Operation]
    let codes: Set<String>

    init() throws {
        let document = try JSONValue(Array(DescriptionJSON.text.utf8))
        let paths = document["paths"]!
        operations = paths.names.sorted().flatMap { path in
            ["get", "put", "post", "patch", "delete"].compactMap { method in
                paths[path]?[method].map { Self.operation(method, path, $0, in: document) }
            }
        }
        codes = Set(document["components"]?["schemas"]?["ProblemCode"]?["enum"]?.items?.compactMap(\.string) ?? [])
    }

    private static func operation(_ method: String, _ path: String, _ content: JSONValue, in document: JSONValue) -> Operation {
        let responses = content["responses"]!
        var refusals: [Int: [String]] = [:]
        for status in responses.names {
            guard let reference = responses[status]?["$ref"]?.string, let name = reference.split(separator: "/").last else { continue }
            refusals[Int(status)!] = Self.codes(of: String(name), in: document)
        }
        return Operation(
            method: method.uppercased(), path: path, id: content["operationId"]?.string ?? "", summary: content["summary"]?.string ?? "",
            who: content["x-who"]?.string?.split(separator: ",").map(String.init) ?? [], statuses: responses.names.compactMap { Int($0) },
            refusals: refusals)
    }

    /// The problem codes that a response component allows.
    private static func codes(of name: String, in document: JSONValue) -> [String] {
        let schema = document["components"]?["responses"]?[name]?["content"]?["application/problem+json"]?["schema"]
        return schema?["allOf"]?[1]?["properties"]?["code"]?["enum"]?.items?.compactMap(\.string) ?? []
    }
}
