"""Tests of the list of bugs that are seeded into the pages: `python3 -m unittest discover Tools/lib`.

The files are parsed and not imported, because importing them needs a browser's driver.
"""

import ast
import os
import unittest


LIBRARY = os.path.dirname(os.path.abspath(__file__))


def parsed(module):
    with open(os.path.join(LIBRARY, module + ".py"), encoding="utf-8") as file:
        return ast.parse(file.read())


def assigned(tree, name):
    """The value that a module gives to a name at its top."""
    return next(each.value for each in tree.body if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == name)


class MutantTests(unittest.TestCase):
    def test_each_seeded_bug_names_a_story_that_runs(self):
        mutants = parsed("pages_stories_mutants")
        modules = {name.asname: name.name for each in mutants.body if isinstance(each, ast.Import) for name in each.names}
        bugs = [(bug.elts[0].value, bug.elts[-1]) for bug in assigned(mutants, "MUTANTS").elts]
        self.assertTrue(bugs)
        for what, story in bugs:
            module = modules[story.value.id]
            running = {each.id for each in ast.walk(assigned(parsed(module), "STORIES")) if isinstance(each, ast.Name)}
            self.assertIn(story.attr, running, f"{what}: the story is not in STORIES of {module}.py, so it never runs without the bug")


if __name__ == "__main__":
    unittest.main()
