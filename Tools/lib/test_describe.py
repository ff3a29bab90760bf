"""Tests of the short forms in the description: `python3 -m unittest discover Tools/lib`."""

import unittest

import describe_expand
import describe_page
import described


def source(**operation):
    given = {"operationId": "go", "tags": ["Go"], "summary": "Go", "x-who": "account", "responses": {"204": {"description": "Gone."}}}
    return {
        "info": {"title": "T", "version": "1", "summary": "S", "description": "D"}, "tags": [{"name": "Go", "description": "G"}],
        "paths": {"/v1/go/{id}": {"post": given | operation}},
        "components": {"schemas": {"Problem": {"type": "object"}, "ProblemCode": {"type": "string", "description": "Codes.", "x-codes": [
            ["invalidRequest", 400, "a"], ["idempotencyKeyRequired", 400, "b"], ["unauthenticated", 401, "c"], ["tokenExpired", 401, "d"],
            ["suspended", 403, "s"], ["notFound", 404, "e"], ["cardNotFull", 409, "f"], ["idempotencyKeyReused", 422, "g"],
            ["rateLimited", 429, "h"],
            ["internal", 500, "i"], ["overloaded", 503, "j"], ["notCaughtUp", 503, "k"], ["stopping", 503, "l"],
            ["writerUnavailable", 503, "m"]]}}},
    }


class LoadTests(unittest.TestCase):
    def test_a_key_that_stands_twice_is_refused_with_both_lines(self):
        with self.assertRaisesRegex(Exception, r"Redemption stands here and in line 2: .*\n.*line 4"):
            described.load("bodies:\n  Redemption: 1\n  Review: 2\n  Redemption: 3\n")

    def test_merged_keys_may_be_replaced(self):
        self.assertEqual(described.load("a: &a {x: 1}\nb: {<<: *a, x: 2}\n")["b"], {"x": 2})


class ExpandTests(unittest.TestCase):
    def expanded(self, **operation):
        document = describe_expand.expand(source(**operation))
        return document, document["paths"]["/v1/go/{id}"]["post"]

    def codes(self, document, operation, status):
        name = operation["responses"][status]["$ref"].rsplit("/", 1)[1]
        schema = document["components"]["responses"][name]["content"]["application/problem+json"]["schema"]
        return schema["allOf"][1]["properties"]["code"]["enum"]

    def test_a_write_says_its_key_its_position_and_what_comes_of_them(self):
        document, operation = self.expanded(**{"x-key": "required", "x-problems": ["cardNotFull"]})
        self.assertEqual(operation["parameters"], [{"$ref": "#/components/parameters/RequiredIdempotencyKey"}])
        self.assertEqual(list(operation["responses"]["204"]["headers"]), ["GreenTea-Position", "Idempotency-Replayed"])
        self.assertEqual(self.codes(document, operation, "400"), ["invalidRequest", "idempotencyKeyRequired"])
        self.assertEqual(self.codes(document, operation, "409"), ["cardNotFull"])
        self.assertEqual(self.codes(document, operation, "503"), ["overloaded", "stopping", "writerUnavailable"])
        self.assertEqual(operation["security"], [{"bearer": []}, {"cookie": []}])

    def test_a_read_for_anyone_needs_no_key_and_no_token(self):
        document, operation = self.expanded(**{"x-who": "anyone", "x-reads": True, "x-list": True})
        self.assertEqual(operation["security"], [])
        self.assertNotIn("401", operation["responses"])
        self.assertEqual(self.codes(document, operation, "503"), ["notCaughtUp"])
        self.assertEqual([each["$ref"].rsplit("/", 1)[1] for each in operation["parameters"]], ["MinPosition", "Limit", "Cursor"])

    def test_a_code_that_there_is_not_is_an_error(self):
        with self.assertRaises(describe_expand.Wrong):
            self.expanded(**{"x-problems": ["cardNotFul"]})

    def test_a_key_that_an_unquoted_comma_made_is_refused_with_its_place(self):
        schema = described.load("{type: string, description: The reason, for later questions.}")
        with self.assertRaisesRegex(describe_expand.Wrong, r"post/requestBody/schema/for later questions\. has no value"):
            self.expanded(requestBody={"schema": schema})
        describe_expand.refuse_nulls({"type": ["string", "null"], "enum": ["a", None], "example": {"image": None}}, [])

    def test_a_refusal_in_own_words_is_left_as_it_is(self):
        _, operation = self.expanded(responses={"204": {"description": "Gone."}, "404": {"description": "A page."}})
        self.assertEqual(operation["responses"]["404"], {"description": "A page."})

    def test_the_page_escapes_and_has_every_code(self):
        document, _ = self.expanded(description="a < b & `c`")
        page = describe_page.page(document)
        self.assertIn("a &lt; b &amp; <code>c</code>", page)
        for code in ("invalidRequest", "stopping"):
            self.assertIn(code, page)


if __name__ == "__main__":
    unittest.main()
