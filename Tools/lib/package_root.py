"""A small Debian in a folder, in which programs are started as systemd would start them, but without systemd."""

import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
from datetime import datetime

# The maximum age of the root folder in seconds. Creating a root folder takes most of a minute. A new one each week contains the security
# updates of the mirror.
ROOT_SECONDS_MAX = 7 * 86_400
# A systemctl that only records its arguments, because the real one would find no running systemd.
SYSTEMCTL = "#!/bin/sh\necho \"$@\" >> /run/systemctl.calls\n"


class Failed(Exception):
    """A condition of the check does not hold."""


def require(condition, complaint):
    if not condition:
        raise Failed(complaint)


def base(codename):
    """An archive of a minimal Debian with systemd's files, from the cache or from the mirror."""
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "greentea-check")
    path = os.path.join(folder, f"root-{codename}.tar")
    if not os.path.exists(path) or datetime.now().timestamp() - os.path.getmtime(path) > ROOT_SECONDS_MAX:
        os.makedirs(folder, exist_ok=True)
        made = f"{path}.{os.getpid()}.tar"
        done = subprocess.run(
            ["mmdebstrap", "--mode=root", "--variant=minbase", "--include=systemd", "--skip=cleanup/apt/lists", codename, made],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise OSError(f"mmdebstrap made no root: {done.stderr[-500:]}")
        os.rename(made, path)
    return path


class Unit:
    """The part of a unit file that can be carried out without systemd."""

    def __init__(self, text):
        self.lines = []
        section = ""
        for line in re.sub(r"\\\n", " ", text).splitlines():
            line = line.strip()
            if line.startswith("["):
                section = line.strip("[]")
            elif line and line[0] not in "#;":
                key, _, value = line.partition("=")
                self.lines.append((section, key, value))

    def values(self, key):
        return [value for section, name, value in self.lines if section == "Service" and name == key]

    def value(self, key, default=""):
        return (self.values(key) or [default])[-1]

    def credentials(self):
        return dict(value.split(":", 1) for value in self.values("LoadCredential"))

    def commands(self, key, environment):
        """Each command as words, with systemd's variables and percent specifiers replaced."""
        def put(word):
            return re.sub(r"\$\{(\w+)\}", lambda found: environment[found[1]], word.replace("%%", "%"))

        return [[put(word) for word in shlex.split(value)] for value in self.values(key)]

    def is_private(self):
        return self.value("PrivateNetwork") == "yes"


class Root:
    """A root file system in a folder. All processes in it end with this process, which runs in its own namespaces."""

    def __init__(self, folder, archive):
        self.folder = os.path.join(folder, "root")
        os.makedirs(self.folder)
        subprocess.run(["tar", "-xpf", archive, "-C", self.folder, "--numeric-owner"], check=True)
        subprocess.run(["mount", "-t", "proc", "proc", self.path("/proc")], check=True)
        shutil.copyfile("/etc/resolv.conf", self.path("/etc/resolv.conf"))
        # The package's maintainer scripts assume that systemd runs if this folder exists. Their calls of systemctl are recorded.
        os.makedirs(self.path("/run/systemd/system"))
        for name in ("systemctl", "deb-systemd-invoke"):
            self.write(f"/usr/local/sbin/{name}", SYSTEMCTL, 0o755)

    def path(self, name):
        return os.path.join(self.folder, name.lstrip("/"))

    def exists(self, name):
        return os.path.lexists(self.path(name))

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def run(self, *command, status=0, text=None):
        """Runs a command in the root and returns its output. Fails for any other exit status than the expected one."""
        done = subprocess.run(
            ["chroot", self.folder, "/usr/bin/env", "-i", "PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
             "DEBIAN_FRONTEND=noninteractive", *command],
            input=text, stdin=None if text is not None else subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != status:
            raise Failed(f"{' '.join(command)} ended with {done.returncode}: {(done.stderr or done.stdout)[-1500:].strip()}")
        return done.stdout + done.stderr

    def systemctl_calls(self):
        """The calls of systemctl since the last time."""
        calls = self.read("/run/systemctl.calls").splitlines() if self.exists("/run/systemctl.calls") else []
        self.write("/run/systemctl.calls", "")
        return calls

    def unit(self, name):
        return Unit(self.read(f"/usr/lib/systemd/system/{name}"))

    def start(self, unit, words, environment, log):
        """Starts a unit's command as its user, with its mask, limits and capabilities. Only its state folders are writable."""
        user, capabilities = unit.value("User"), unit.value("CapabilityBoundingSet").lower().split()
        kept = ",".join(["-all", *("+" + name.removeprefix("cap_") for name in capabilities)])
        folders = " ".join(self.path("/var/lib/" + name) for name in unit.value("StateDirectory").split())
        # In some containers, the limit of open files cannot be raised. The unit's limit is then reduced to the present one.
        files = min(int(unit.value("LimitNOFILE", "1024")), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        limits = [f"--nofile={files}", f"--core={unit.value('LimitCORE', '0')}"]
        script = f"""
            set -eu
            mount --rbind {self.folder} {self.folder}
            mount -o remount,bind,ro {self.folder}
            for folder in {folders}; do mount --bind "$folder" "$folder"; mount -o remount,bind,rw "$folder"; done
            mount -t tmpfs tmpfs {self.path('/tmp')}
            umask {unit.value('UMask', '0022')}
            exec prlimit {' '.join(limits)} chroot {self.folder} /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
        """
        # Capabilities can be ambient only if they are also inheritable. If the unit has no capabilities, all three sets are empty.
        privileges = ["setpriv", "--reuid", user, "--regid", unit.value("Group"), "--init-groups", "--no-new-privs",
                      "--inh-caps", kept, "--ambient-caps", kept, "--bounding-set", kept]
        namespaces = ["unshare", "--mount", *(["--net"] if unit.is_private() else [])]
        return subprocess.Popen(
            [*namespaces, "bash", "-c", script, "-", *(f"{name}={value}" for name, value in environment.items()), *privileges, *words],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def hand_credentials(self, name, unit):
        """Copies the secrets for the unit's user alone, as LoadCredential= does. Returns the environment that names them."""
        folder = f"/run/credentials/{name}"
        shutil.rmtree(self.path(folder), ignore_errors=True)
        os.makedirs(self.path(folder))
        for credential, source in unit.credentials().items():
            shutil.copyfile(self.path(source), self.path(f"{folder}/{credential}"))
            os.chmod(self.path(f"{folder}/{credential}"), 0o400)
        self.run("chown", "-R", unit.value("User") + ":", folder)
        os.chmod(self.path(folder), 0o500)
        return {"CREDENTIALS_DIRECTORY": folder}

    def run_unit(self, name, log_path):
        """Runs a oneshot unit and the commands that follow it to their end."""
        unit = self.unit(name)
        for key in ("ExecStart", "ExecStartPost", "ExecStopPost"):
            for words in unit.commands(key, {}):
                with open(log_path, "ab") as log:
                    status = self.start(unit, words, {}, log).wait(timeout=120)
                if status != 0:
                    with open(log_path, encoding="utf-8", errors="replace") as log:
                        raise Failed(f"{name}: {key} ended with {status}: {log.read()[-1500:]}")


class Service:
    """The running service, started as its unit says."""

    def __init__(self, root, log_path):
        self.unit, self.log_path = root.unit("greentea.service"), log_path
        environment = root.hand_credentials("greentea.service", self.unit)
        [words] = self.unit.commands("ExecStart", environment)
        with open(log_path, "ab") as log:
            self.process = root.start(self.unit, words, environment, log)

    def said(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()[-2000:]

    def stop(self):
        self.process.send_signal(getattr(signal, self.unit.value("KillSignal", "SIGTERM")))
        return self.process.wait(timeout=int(self.unit.value("TimeoutStopSec", "90")))
