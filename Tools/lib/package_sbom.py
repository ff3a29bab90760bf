"""The components of a package's programs in CycloneDX form: https://cyclonedx.org/docs/1.5/json/."""

import datetime
import json
import urllib.parse
import uuid

# The namespace of serial numbers that are computed from the package's content, so that the same package gets the same number.
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://cyclonedx.org/greentea")


def swift_component(pin):
    """A Swift package, from an entry of Package.resolved."""
    location = urllib.parse.urlsplit(pin["location"])
    path = location.path.strip("/").removesuffix(".git")
    revision = pin["state"]["revision"]
    # A dependency that is pinned to a branch has no version, so its revision is used.
    version = pin["state"].get("version") or revision
    purl = f"pkg:swift/{location.netloc.lower()}/{path}@{version}"
    owner, _, name = path.rpartition("/")
    source = {"type": "vcs", "url": pin["location"], "comment": f"revision {revision}"}
    return {
        "type": "library", "bom-ref": purl, "group": f"{location.netloc.lower()}/{owner}", "name": name, "version": version, "purl": purl,
        "externalReferences": [source],
    }


def debian_component(name, version, architecture):
    """A system package to which the programs are linked, in the version of the machine that made the package."""
    quoted = urllib.parse.quote(version, safe="")
    purl = f"pkg:deb/debian/{name}@{quoted}?arch={architecture}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def runtime_component(version, files):
    """The Swift runtime, with the digest of each of its libraries in the package."""
    purl = f"pkg:generic/swift-runtime@{version}"
    return {
        "type": "framework", "bom-ref": purl, "name": "swift-runtime", "version": version, "purl": purl,
        "components": [
            {"type": "file", "bom-ref": f"{purl}#{name}", "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}
            for name, digest in sorted(files.items())],
    }


def bill(version, epoch, components):
    """The whole document. The same arguments give the same bytes."""
    main = f"pkg:generic/greentea@{version}"
    ordered = sorted(components, key=lambda component: component["bom-ref"])
    references = [component["bom-ref"] for component in ordered]
    if len(set(references)) != len(references):
        raise ValueError("a component is listed twice")
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": main, "name": "greentea", "version": version, "purl": main},
        },
        "components": ordered,
        "dependencies": [{"ref": main, "dependsOn": references}],
    }
    document["serialNumber"] = "urn:uuid:" + str(uuid.uuid5(NAMESPACE, json.dumps(document, sort_keys=True)))
    return json.dumps(document, indent=1, sort_keys=True) + "\n"
