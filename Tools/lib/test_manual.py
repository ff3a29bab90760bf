"""Tests of the pages for people: every link leads somewhere, README stays short, and DocC converts the manual without a warning."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MANUAL = os.path.join(ROOT, "Sources", "greentea", "Manual.docc")
LINES_MAX, WORDS_MAX = 150, 1200
LINK = re.compile(r"\]\(([^()\s]+)\)")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages():
    return sorted(os.path.join(MANUAL, name) for name in os.listdir(MANUAL) if name.endswith(".md"))


def all_pages():
    """README.md and every page below these folders."""
    yield os.path.join(ROOT, "README.md")
    for place in ("Sources", "Tests", "Tools"):
        for folder, _, names in os.walk(os.path.join(ROOT, place)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".md"))


def without_code(text):
    """The text without its blocks of code, in which nothing is a link or a heading."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text):
    """The anchors that code-hosting sites give to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", without_code(text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(path, text):
    """The relative links of a page that lead to no file, or to no heading of one."""
    for link in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(target) or anchor and anchor not in anchors(text if target == path else read(target)):
            yield link


def with_docc_links(text):
    """The text with links between pages in DocC's form, so that DocC checks them, too."""
    return re.sub(r"\]\((\w+)\.md(#[^()\s]+)?\)", lambda found: f"](doc:{found[1]}{found[2] or ''})", text)


class ManualTests(unittest.TestCase):
    def convert(self, change=lambda text: text):
        """Converts a copy of the manual, and returns DocC's status and output."""
        docc = shutil.which("docc")
        self.assertIsNotNone(docc, "docc is part of Swift's toolchain")
        with tempfile.TemporaryDirectory() as folder:
            catalogue = os.path.join(folder, "Manual.docc")
            os.mkdir(catalogue)
            for page in pages():
                with open(os.path.join(catalogue, os.path.basename(page)), "w", encoding="utf-8") as file:
                    file.write(change(with_docc_links(read(page))))
            run = subprocess.run(
                [docc, "convert", catalogue, "--warnings-as-errors", "--output-path", os.path.join(folder, "Manual.doccarchive")],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
            return run.returncode, run.stdout

    def test_docc_converts_the_manual_without_a_warning(self):
        status, output = self.convert()
        self.assertEqual(status, 0, output)

    def test_docc_refuses_a_link_to_a_page_that_does_not_exist(self):
        status, output = self.convert(lambda text: text.replace("doc:Past)", "doc:Future)"))
        self.assertNotEqual(status, 0)
        self.assertIn("Future", output)

    def test_every_link_leads_to_a_file_and_to_a_heading_of_it(self):
        for path in all_pages():
            with self.subTest(os.path.relpath(path, ROOT)):
                self.assertEqual(list(dead_links(path, read(path))), [])

    def test_dead_links_are_named(self):
        path = os.path.join(MANUAL, "Manual.md")
        text = "# A page\n[](Past.md) [](#a-page) [](https://a.example/) [](Future.md) [](#no-page) [](Limits.md#no-limits)\n"
        self.assertEqual(list(dead_links(path, text)), ["Future.md", "#no-page", "Limits.md#no-limits"])

    def test_the_first_page_links_to_every_page(self):
        linked = set(LINK.findall(read(os.path.join(MANUAL, "Manual.md"))))
        self.assertEqual([page for page in map(os.path.basename, pages()) if page != "Manual.md" and page not in linked], [])

    def test_the_readme_is_read_in_two_minutes(self):
        text = read(os.path.join(ROOT, "README.md"))
        self.assertLessEqual(len(text.splitlines()), LINES_MAX)
        self.assertLessEqual(len(text.split()), WORDS_MAX)


if __name__ == "__main__":
    unittest.main()
