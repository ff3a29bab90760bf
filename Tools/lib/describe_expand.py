"""Expands the hand-written description to a complete OpenAPI document. The description itself explains its short forms."""

METHODS = ("get", "put", "post", "patch", "delete")

# The problem codes that each operation of a kind may answer: BODY if the request has a body, WRITE if the writer decides about it, READ if
# it waits for the read models.
BODY = ("invalidRequest", "tooLarge", "unsupportedMediaType")
WRITE = ("invalidRequest", "idempotencyKeyReused", "overloaded", "stopping", "writerUnavailable")
READ = ("invalidRequest", "notCaughtUp")
# The prefixes of the paths to which request limits for accounts and addresses apply.
LIMITED_PREFIXES = ("/v1/", "/s/", "/c/", "/r/", "/feed.atom")
# The keys whose values are JSON of the API itself; everywhere else OpenAPI has no null.
VALUES = ("example", "examples", "default", "const", "enum")


class Wrong(Exception):
    """The description contradicts itself, or names something that does not exist."""


def parameter(name):
    return {"$ref": f"#/components/parameters/{name}"}


def header(name):
    return {"$ref": f"#/components/headers/{name}"}


def expand(source):
    """The whole expanded document. `source` must not be used afterwards."""
    refuse_nulls(source, [])
    codes = {code: (status, text) for code, status, text in source["components"]["schemas"]["ProblemCode"].pop("x-codes")}
    finish_codes(source["components"]["schemas"]["ProblemCode"], codes)
    made = {}
    for path, item in source["paths"].items():
        for method in METHODS:
            if method in item:
                item[method] = operation(path, method, item[method], codes, made)
    source["components"]["responses"] = dict(sorted(made.items()))
    return source


def refuse_nulls(value, path):
    """Refuses a key without a value, as which YAML reads what follows an unquoted comma of a text in flow style."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        if inner is None:
            raise Wrong(f"{'/'.join([*path, str(key)])} has no value: quote the text before it if a comma of the text stands there")
        if key not in VALUES:
            refuse_nulls(inner, [*path, str(key)])


def finish_codes(schema, codes):
    schema["enum"] = list(codes)
    rows = [f"| `{code}` | {status} | {text} |" for code, (status, text) in codes.items()]
    schema["description"] += "\n\n| code | status | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def operation(path, method, given, codes, made):
    """One complete operation. The answers to its refusals are added to `made`."""
    who = given["x-who"].split(",")
    key, edit = given.pop("x-key", None), given.pop("x-edit", None)
    reads, pages = given.pop("x-reads", False), given.pop("x-list", False)
    optional = given.pop("x-signed-in", None) == "optional"
    problems = ["internal", *given.pop("x-problems", [])]
    parameters = list(given.get("parameters", []))
    if key:
        parameters.append(parameter("RequiredIdempotencyKey" if key == "required" else "IdempotencyKey"))
        problems += WRITE + (("idempotencyKeyRequired",) if key == "required" else ())
    if edit:
        parameters.append(parameter("RequiredIfMatch" if edit == "required" else "IfMatch"))
        problems += ["versionConflict"] + (["preconditionRequired"] if edit == "required" else [])
    if reads:
        parameters.append(parameter("MinPosition"))
        problems += READ
    if pages:
        parameters += [parameter("Limit"), parameter("Cursor")]
        problems.append("invalidRequest")
    if "requestBody" in given:
        problems += BODY
    if "{" in path:
        problems.append("notFound")
    if who != ["anyone"] or optional:
        problems += ["unauthenticated", "tokenExpired", "suspended"]
        # A node of a cluster that lacks events.
        problems += ["notCaughtUp"] if method == "get" else []
    if path.startswith(LIMITED_PREFIXES):
        problems.append("rateLimited")
    responses = given.pop("responses")
    shows = method == "get" and path.startswith("/v1/") and "application/json" in responses.get("200", {}).get("content", {})
    if key or shows:
        for status, response in responses.items():
            # A YAML anchor makes one object appear in several places, so each place gets a copy.
            own = ["GreenTea-Position", "Idempotency-Replayed"] if key else ["GreenTea-Position"]
            headers = {**{name: header(name) for name in own}, **response.get("headers", {})}
            responses[status] = {"description": response["description"], "headers": headers} | {
                name: value for name, value in response.items() if name not in ("description", "headers")}
    responses |= refusals(given["operationId"], problems, codes, made, set(responses))
    result = {name: given[name] for name in ("operationId", "tags", "summary", "description", "x-who") if name in given}
    result["security"] = security(who, optional)
    if parameters:
        result["parameters"] = parameters
    if "requestBody" in given:
        result["requestBody"] = given["requestBody"]
    result["responses"] = dict(sorted(responses.items()))
    return result


def security(who, optional):
    if optional:
        return [{}, {"bearer": []}, {"cookie": []}]
    return [] if who == ["anyone"] else [{"bearer": []}, {"cookie": []}]


def refusals(name, problems, codes, made, taken):
    """For each status, a reference to the shared answer with exactly these codes."""
    by_status = {}
    for code in codes:  # In the order of the table, each once.
        if code in problems:
            by_status.setdefault(codes[code][0], []).append(code)
    unknown = set(problems) - set(codes)
    if unknown:
        raise Wrong(f"{name}: there is no code {', '.join(sorted(unknown))}")
    found = {}
    for status, some in by_status.items():
        if str(status) in taken:  # A page for people says in its own way that there is nothing.
            continue
        response = "-".join(some)
        made.setdefault(response, refusal(status, some, codes))
        found[str(status)] = {"$ref": f"#/components/responses/{response}"}
    return found


def refusal(status, some, codes):
    headers = {"X-Request-ID": header("X-Request-ID")}
    if status in (429, 503):
        headers["Retry-After"] = header("Retry-After")
    if status == 401:
        headers["WWW-Authenticate"] = header("WWW-Authenticate")
    narrowed = {"properties": {"status": {"const": status}, "code": {"enum": some}}}
    return {
        "description": " · ".join(f"`{code}`: {codes[code][1]}" for code in some),
        "headers": headers,
        "content": {
            "application/problem+json": {"schema": {"allOf": [{"$ref": "#/components/schemas/Problem"}, narrowed]}}},
    }
