import pathlib
import re
import unittest

import cluster_rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADING = "## Bad input of a cluster"


def shown():
    """The last cells of the table."""
    text = (ROOT / "Tests/README.md").read_text().split(HEADING)[1].split("\n## ")[0]
    return [line.split("|")[-2] for line in text.split("\n") if line.startswith("|")][2:]


def tests():
    """Each test as Suite.function."""
    found = set()
    for path in (ROOT / "Tests").rglob("*.swift"):
        suite = None
        for line in path.read_text().split("\n"):
            if begun := re.search(r"\bstruct (\w+Tests)\b", line):
                suite = begun[1]
            elif function := re.match(r" +func (\w+)\(", line):
                found.add(f"{suite}.{function[1]}")
    return found


class ClusterBadInputTests(unittest.TestCase):
    def test_every_row_names_tests_and_rows_that_exist(self):
        cells, known = shown(), tests() | {name for name, _ in cluster_rows.ROWS}
        self.assertEqual(len(cells), 20)
        for cell in cells:
            names = re.findall("`([^`]+)`", cell)
            self.assertTrue(names, cell)
            for name in names:
                self.assertTrue(name in known, name)


if __name__ == "__main__":
    unittest.main()
