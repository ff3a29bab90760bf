"""Each lock, cache and file of the service has its place in the table of what a node keeps beside the log."""

import unittest

import node_state

SAMPLE = """
package final class Gate: Sendable {
    private let cache = Mutex(TokenCache())
    package nonisolated(unsafe) static let other: Mutex<[String: Int]> = Mutex([:])
    let limit = 3
    private let (first, second) = (Mutex(1), Mutex(2))

    private struct State {
        var kept = SharedPool<Int>(terms)
    }

    func find() {
        let result = Mutex(0)
        // let remark = Mutex(0)
    }

    init(
        limit: Int
    ) {
        let local: Mutex<Int> = Mutex(limit)
    }
}
extension Slots {
    @usableFromInline private(set) var names: GenerationalCache<Int, Int>
}
"""


class NodeStateTests(unittest.TestCase):
    def test_declarations_are_found_and_local_variables_are_not(self):
        names = ["Gate.cache", "Gate.other", "Gate.first", "Gate.second", "Gate.kept", "Slots.names"]
        self.assertEqual(node_state.declared(SAMPLE), names)

    def test_known_state_is_found(self):
        found = node_state.in_sources()
        for name in ["KeyStore.state", "IdleRequests.entries", "GreenTea.freshSessions", "TokenCache.tokens", "DataFolder.blobs"]:
            self.assertIn(name, found)

    def test_each_target_is_there(self):
        for target in node_state.TARGETS:
            self.assertTrue((node_state.ROOT / "Sources" / target).is_dir(), target)

    def test_all_state_is_in_the_table_once(self):
        found, placed = node_state.in_sources(), node_state.placed(node_state.TABLE.read_text())
        new = [f"{name} ({found[name]})" for name in sorted(found.keys() - set(placed))]
        self.assertEqual(new, [], f"place in a row of {node_state.TABLE.name}: what is it on a second node, and after a take-over?")
        self.assertEqual(sorted(set(placed) - found.keys()), [], f"remove from {node_state.TABLE.name}: the sources no longer have it")
        self.assertEqual(sorted(name for name in set(placed) if placed.count(name) > 1), [], "two rows")


if __name__ == "__main__":
    unittest.main()
