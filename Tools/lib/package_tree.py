"""The folders of a Debian package of GreenTea: the files in each, and their modes."""

import gzip
import hashlib
import os
import re
import shutil
import subprocess

# The folder for the Swift runtime's libraries, for which Debian has no package.
RUNTIME = "/usr/lib/greentea"
UNITS = (
    "greentea.service", "greentea-backup.service", "greentea-backup.timer", "greentea-increment.service", "greentea-increment.timer",
    "greentea-drill.service", "greentea-drill.timer")
SCRIPTS = ("postinst", "prerm", "postrm")
# The lines that each service unit must contain. They name a permanent user, and add the protections that systemd applies by default only
# with DynamicUser=.
USER_LINES = ("User=greentea", "Group=greentea", "RemoveIPC=yes", "RestrictSUIDSGID=yes")


class Unfit(Exception):
    """A condition for the package does not hold. The text says which one, and the remedy."""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise Unfit(f"{' '.join(command)} failed with {done.returncode}: {(done.stderr.strip() or done.stdout.strip())[-1000:]}")
    return done.stdout


def packaged_unit(text):
    """A unit of Tools/deploy with the package's paths.

    Its user stays, so that an administrator can run the tools as that user, and files of the data folder have one owner for ever.
    """
    made = text.replace("/usr/local/bin/", "/usr/bin/")
    lines = made.splitlines()
    missing = [line for line in USER_LINES if line not in lines]
    if "[Service]" in lines and (missing or any(line.startswith("DynamicUser=") for line in lines)):
        raise Unfit(f"a unit of Tools/deploy has DynamicUser=, or lacks {missing}: its user must stay")
    if "/usr/local" in made:
        raise Unfit("a unit of Tools/deploy names a path that the package does not have")
    return made


def foreign_libraries(programs):
    """The loaded libraries that no Debian package has, by name, and the packages of the others with their versions."""
    bundled, paths = {}, set()
    for program in programs:
        for line in run("ldd", program).splitlines():
            found = re.match(r"\s*(\S+) => (\S+)", line)
            if found and found[2] == "not":
                raise Unfit(f"{program} needs {found[1]}, which this machine does not have")
            if found and found[2].startswith("/"):
                paths.add((found[1], found[2]))
    owners = owners_of({path for _, path in paths})
    for name, path in sorted(paths):
        if path not in owners:
            bundled[name] = os.path.realpath(path)
    names = sorted(set(owners.values()))
    versions = run("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *names) if names else ""
    return bundled, dict(line.split() for line in versions.splitlines())


def owners_of(paths):
    """The Debian packages of files that have one. Where /lib is a link to /usr/lib, dpkg may know a file under either name."""
    spellings = {}
    for path in paths:
        for spelling in (path, os.path.realpath(path)):
            spellings[spelling] = spellings[spelling.removeprefix("/usr")] = path
    # One call of dpkg-query asks for all files, because each call reads the file lists of every package. It exits with 1 if a file belongs
    # to no package, which is no error here.
    told = subprocess.run(["dpkg-query", "-S", *sorted(spellings)], capture_output=True, text=True, check=False).stdout
    owners = {}
    for line in told.splitlines():
        package, _, path = line.rpartition(": ")
        if path in spellings and not package.startswith("diversion by"):
            owners[spellings[path]] = package.partition(",")[0].partition(":")[0]
    return owners


class Tree:
    """A folder that becomes a package. File modes are set here and do not depend on the machine's umask."""

    def __init__(self, folder, epoch):
        self.folder, self.epoch = folder, epoch

    def path(self, name):
        return os.path.join(self.folder, name.lstrip("/"))

    def write(self, name, content, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(path, mode)

    def copy(self, name, source, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        shutil.copyfile(source, self.path(name))
        os.chmod(self.path(name), mode)

    def compress(self, name, text):
        self.write(name, gzip.compress(text.encode(), 9, mtime=0))

    def program(self, name, source):
        """Copies a program without its debugging symbols, and makes it find the Swift runtime in the package's folder only."""
        self.copy(name, source, 0o755)
        run("strip", "--strip-unneeded", self.path(name))
        run("patchelf", "--set-rpath", RUNTIME, self.path(name))

    def files(self):
        for folder, folders, names in os.walk(self.folder):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, self.folder), path

    def digests(self):
        """The digests that `dpkg --verify` compares, of all files except the package's own description."""
        made = []
        for name, path in self.files():
            if not name.startswith("DEBIAN/"):
                with open(path, "rb") as file:
                    made.append(f"{hashlib.file_digest(file, 'md5').hexdigest()}  {name}\n")
        return "".join(made)

    def kilobytes(self):
        """Installed-Size as Debian's policy computes it: whole kilobytes for each file, and one for each folder."""
        size = sum(-(-os.path.getsize(path) // 1024) for name, path in self.files() if not name.startswith("DEBIAN/"))
        return size + sum(1 for _ in os.walk(self.folder))

    def settle(self):
        """Sets modes and times that are the same on every machine."""
        for folder, _, names in os.walk(self.folder, topdown=False):
            for name in names:
                os.utime(os.path.join(folder, name), (self.epoch, self.epoch))
            os.chmod(folder, 0o755)
            os.utime(folder, (self.epoch, self.epoch))
