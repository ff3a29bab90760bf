"""Tests of the checks of the README's pictures: `python3 -m unittest discover Tools/lib`."""

import importlib.machinery
import importlib.util
import os
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "screenshots")


def script():
    loader = importlib.machinery.SourceFileLoader("screenshots_script", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("screenshots_script", loader))
    loader.exec_module(module)
    return module


class ScreenshotTests(unittest.TestCase):
    def setUp(self):
        self.script = script()
        self.readme = "".join(f"![](Fixtures/screenshots/{name}.webp)" for name in self.script.NAMES)

    def write(self, folder, name, size, head=b"RIFF....WEBP"):
        with open(os.path.join(folder, name + ".webp"), "wb") as file:
            file.write(head.ljust(size, b"."))

    def faults(self, folder):
        return list(self.script.faults(folder, self.readme))

    def test_pictures_of_the_right_kind_and_size_are_well_whatever_they_show(self):
        with tempfile.TemporaryDirectory() as folder:
            for size, name in enumerate(self.script.NAMES, self.script.BYTES_MIN):
                self.write(folder, name, size)
            self.assertEqual(self.faults(folder), [])

    def test_what_is_missing_empty_too_large_or_no_picture_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            names = self.script.NAMES
            self.write(folder, names[0], self.script.BYTES_MIN - 1)
            self.write(folder, names[1], self.script.BYTES_MAX + 1)
            self.write(folder, names[2], self.script.BYTES_MIN, head=b"%PDF")
            self.write(folder, "teapot", self.script.BYTES_MIN)
            words = ["the page shows nothing", "at most", "is no WebP", "is missing", "is missing", "is missing", "of no page"]
            found = self.faults(folder)
            self.assertEqual(len(found), len(words))
            for fault, word in zip(found, words):
                self.assertIn(word, fault)

    def test_a_picture_that_the_readme_does_not_show_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in self.script.NAMES:
                self.write(folder, name, self.script.BYTES_MIN)
            self.readme = self.readme.replace("numbers.webp", "figures.webp")
            self.assertEqual(self.faults(folder), ["README.md does not show numbers.webp"])


if __name__ == "__main__":
    unittest.main()
