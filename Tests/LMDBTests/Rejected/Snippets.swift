extension Snippet {
    /// Uses everything that the rejected snippets use, but correctly. If this snippet did not compile, the others would be rejected for a
    /// wrong reason.
    static let accepted = Snippet(
        name: "right use", diagnostic: nil,
        code: """
            func use(_ environment: Environment, _ table: Table) throws {
                var write = try environment.write()
                try write.put(table, 1, [2])
                do {
                    var changes = try write.writeCursor(table)
                    try changes.put([1].span, [2].span)
                    _ = try changes.delete([1].span)
                }
                try write.commit()
                let snapshot = try environment.snapshot()
                let found = try snapshot.get(table, 1)
                if let found { print(found.count) }
                var cursor = try snapshot.cursor(table)
                while try cursor.next() { print(cursor.integerKey, cursor.value.count) }
            }
            func read(_ environment: Environment) async throws {
                let snapshot = try environment.snapshot()
                await Task.yield()
                _ = consume snapshot
            }
            """)

    static let rejected = [
        Snippet(
            name: "use after commit", diagnostic: "'write' used after consume",
            code: """
                func use(_ environment: Environment, _ table: Table) throws {
                    var write = try environment.write()
                    try write.commit()
                    try write.put(table, 1, [2])
                }
                """),
        Snippet(
            name: "commit twice", diagnostic: "'write' consumed more than once",
            code: """
                func use(_ environment: Environment) throws {
                    let write = try environment.write()
                    try write.commit()
                    try write.commit()
                }
                """),
        Snippet(
            name: "a change beside a cursor", diagnostic: "overlapping accesses to 'write'",
            code: """
                func use(_ environment: Environment, _ table: Table) throws {
                    var write = try environment.write()
                    var changes = try write.writeCursor(table)
                    try write.put(table, 1, [2])
                    try changes.put([1].span, [2].span)
                    try write.commit()
                }
                """),
        Snippet(
            name: "a value kept across a cursor's change", diagnostic: "overlapping accesses to 'changes'",
            code: """
                func use(_ environment: Environment, _ table: Table) throws {
                    var write = try environment.write()
                    var changes = try write.writeCursor(table)
                    let found = try changes.get([1].span)
                    try changes.put([1].span, [2].span)
                    if let found { print(found.count) }
                }
                """),
        Snippet(
            name: "a copied transaction", diagnostic: "consumed more than once",
            code: """
                func use(_ environment: Environment) throws {
                    let write = try environment.write()
                    let one = write
                    let two = write
                    try one.commit()
                    try two.commit()
                }
                """),
        Snippet(
            name: "bytes that outlive their snapshot", diagnostic: "lifetime-dependent value escapes its scope",
            code: """
                @_lifetime(borrow environment)
                func use(_ environment: Environment, _ table: Table) throws -> Span<UInt8>? {
                    let snapshot = try environment.snapshot()
                    return try snapshot.get(table, 1)
                }
                """),
        Snippet(
            name: "a cursor's bytes that outlive its snapshot", diagnostic: "lifetime-dependent value escapes its scope",
            code: """
                @_lifetime(borrow environment)
                func use(_ environment: Environment, _ table: Table) throws -> Span<UInt8> {
                    let snapshot = try environment.snapshot()
                    let cursor = try snapshot.cursor(table)
                    return cursor.value
                }
                """),
        Snippet(
            name: "bytes kept across a change", diagnostic: "overlapping accesses to 'write'",
            code: """
                func use(_ environment: Environment, _ table: Table) throws {
                    var write = try environment.write()
                    let found = try write.get(table, 1)
                    try write.put(table, 1, [2])
                    if let found { print(found.count) }
                }
                """),
        Snippet(
            name: "bytes kept across the commit", diagnostic: "'write' cannot be consumed when",
            code: """
                func use(_ environment: Environment, _ table: Table) throws {
                    let write = try environment.write()
                    let found = try write.get(table, 1)
                    try write.commit()
                    if let found { print(found.count) }
                }
                """),
        Snippet(
            name: "a cursor kept across a change", diagnostic: "overlapping accesses to 'write'",
            code: """
                func use(_ environment: Environment, _ table: Table) throws {
                    var write = try environment.write()
                    var cursor = try write.cursor(table)
                    try write.put(table, 1, [2])
                    _ = try cursor.next()
                }
                """),
        Snippet(
            name: "a transaction in a global", diagnostic: "lifetime-dependent value escapes its scope",
            code: """
                nonisolated(unsafe) var kept: Snapshot? = nil
                func use(_ environment: Environment) throws { kept = try environment.snapshot() }
                """),
        Snippet(
            name: "a transaction in a stored property", diagnostic: "stored property 'kept' of 'Escapable'-conforming",
            code: """
                struct Keeper: ~Copyable { var kept: Snapshot }
                """),
        Snippet(
            name: "a snapshot captured by a task", diagnostic: "lifetime-dependent value escapes its scope",
            code: """
                func use(_ environment: Environment, _ table: Table) throws {
                    let snapshot = try environment.snapshot()
                    Task { print(try snapshot.count(table)) }
                }
                """),
        Snippet(
            name: "a write in an asynchronous function", diagnostic: "is unavailable from asynchronous contexts",
            code: """
                func use(_ environment: Environment) async throws {
                    let write = try environment.write()
                    try write.commit()
                }
                """),
    ]
}
