#!/usr/bin/env python3
"""Fetch and unpack the PyPI parts of deps/parts.json into build/deps, by exact file name and SHA-256.

usage: fetch.py [--deps DIR] [--parts FILE] [--offline] [PART …]     no PART: all default parts

PART dsl-<version>, where parts.json does not pin it: an environment with that published version of the CuTe DSL. What pip
resolves is recorded with hashes in the part's resolved.lock.
A part is made beside its place and moved there whole, so an interrupted run leaves nothing half done.
CUTELAB_DOWNLOADS names a folder of files fetched before (an offline machine); PIP_INDEX_URL and pip's
configuration files name another index. Exit codes: 0 done, 2 wrong use, 3 a part could not be had.
"""
import argparse
import configparser
import fcntl
import hashlib
import html
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ATTEMPTS = 3
CALLED = os.environ.get("CUTELAB_PROGRAM", "cutelab")  # how the user started the program


class Failure(Exception):
    """A part cannot be had; the text says why."""


class Progress:
    """One line that changes on a terminal; nothing but the start elsewhere."""

    def __init__(self, stream=sys.stderr):
        self.stream, self.live = stream, stream.isatty()

    def say(self, text):
        print(f"cutelab: {text}", file=self.stream, flush=True)

    def show(self, text):
        if self.live:
            print(f"\r\033[Kcutelab: {text}", end="", file=self.stream, flush=True)

    def clear(self):
        if self.live:
            print("\r\033[K", end="", file=self.stream, flush=True)


def index_url():
    """The package index that pip would use."""
    if os.environ.get("PIP_INDEX_URL"):
        return os.environ["PIP_INDEX_URL"].rstrip("/") + "/"
    home = Path(os.environ.get("HOME", "/"))
    for path in (home / ".config/pip/pip.conf", home / ".pip/pip.conf", Path("/etc/pip.conf")):
        config = configparser.ConfigParser(interpolation=None)
        try:
            config.read(path)
        except (configparser.Error, OSError):
            continue
        if config.get("global", "index-url", fallback=""):
            return config.get("global", "index-url").rstrip("/") + "/"
    return "https://pypi.org/simple/"


def file_url(spec):
    """Where the index keeps this very file."""
    page_url = urllib.parse.urljoin(index_url(), spec["project"] + "/")
    with urllib.request.urlopen(page_url, timeout=60) as reply:
        page = reply.read().decode("utf-8", "replace")
    for href in re.findall(r'<a[^>]*href="([^"]+)"', page):
        url = urllib.parse.urljoin(page_url, html.unescape(href)).split("#")[0]
        if urllib.parse.unquote(url.rsplit("/", 1)[-1]) == spec["file"]:
            return url
    raise Failure(f"{page_url} does not list {spec['file']}")


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        while chunk := f.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def copy_with_progress(reply, out, name, progress):
    size = int(reply.headers.get("Content-Length") or 0)
    got = 0
    while chunk := reply.read(1 << 18):
        out.write(chunk)
        got += len(chunk)
        if size:
            progress.show(f"{name}: {got / 1e6:.1f} of {size / 1e6:.1f} MB")
    if size and got != size:
        raise Failure(f"{name}: the connection ended after {got} of {size} bytes")


def download_once(spec, kept, progress):
    """Into a file beside `kept`, moved there once its hash is right."""
    url = file_url(spec)
    part = kept.with_name(f"{kept.name}.{os.getpid()}.part")
    try:
        with urllib.request.urlopen(url, timeout=120) as reply, open(part, "wb") as out:
            copy_with_progress(reply, out, spec["file"], progress)
        digest = sha256(part)
        if digest != spec["sha256"]:
            raise Failure(f"{spec['file']} from {url} has SHA-256 {digest}, expected {spec['sha256']}")
        part.replace(kept)
    finally:
        part.unlink(missing_ok=True)
        progress.clear()


def download(spec, cache, offline, progress):
    """Path of the file, from the cache or the index."""
    kept = cache / spec["file"]
    if kept.is_file():
        if sha256(kept) == spec["sha256"]:
            return kept
        progress.say(f"{kept} is torn or another file; fetching it anew")
    if offline:
        raise Failure(f"{spec['file']} is not in {cache}, and --offline forbids to fetch it")
    cache.mkdir(parents=True, exist_ok=True)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            download_once(spec, kept, progress)
            return kept
        except (urllib.error.URLError, OSError, Failure) as e:
            refused = isinstance(e, urllib.error.HTTPError) and e.code in (401, 403, 404)
            if attempt == ATTEMPTS or refused:
                raise Failure(f"{spec['file']}: {e}") from e
            time.sleep(float(os.environ.get("CUTELAB_RETRY_SECONDS", "1")) * attempt)
    raise AssertionError("unreachable")


def members(archive_path):
    """(name, is_file, permissions, reader) of each member of a wheel or source distribution."""
    if zipfile.is_zipfile(archive_path):
        with zipfile.ZipFile(archive_path) as z:
            for info in z.infolist():
                yield info.filename, not info.is_dir(), info.external_attr >> 16, lambda i=info: z.read(i)
    else:
        with tarfile.open(archive_path) as t:
            for info in t:
                yield info.name, info.isfile(), info.mode, lambda i=info: t.extractfile(i).read()


def unpack(archive, spec, target):
    prefix = spec.get("unpack", "").rstrip("/") + "/" if spec.get("unpack") else ""
    base = (target / spec["into"] if spec.get("into") else target).resolve()
    count = 0
    for name, is_file, mode, read in members(archive):
        if not is_file or not name.startswith(prefix):
            continue
        place = (base / name[len(prefix):]).resolve()
        if base not in place.parents:
            raise Failure(f"{spec['file']} holds a path outside its folder: {name}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(read())
        place.chmod(0o755 if mode & stat.S_IXUSR else 0o644)
        count += 1
    if count == 0:
        raise Failure(f"{spec['file']} holds nothing below '{prefix}'")


def find_python(versions):
    """The first interpreter of one of these versions; the one that runs this has precedence."""
    if f"{sys.version_info.major}.{sys.version_info.minor}" in versions:
        return sys.executable
    for version in versions:
        found = shutil.which(f"python{version}")
        if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return found
    raise Failure(f"needs Python {', '.join(versions)}; this is {sys.version.split()[0]} and none of them is in PATH")


def make_venv(part, target, cache, offline, progress):
    """A virtual environment at `target` with exactly the lock file's packages, or with what pip resolves, recorded; pip comes from a
    pinned wheel."""
    venv = part["venv"]
    pip = download(venv["pip"], cache, offline, progress)
    subprocess.run([find_python(venv["pythons"]), "-m", "venv", "--without-pip", "--symlinks", str(target)], check=True)
    wanted = ["--require-hashes", "--no-deps", "-r", str(ROOT / venv["lock"])] if "lock" in venv else [
        "--report", str(target / "report.json"), *venv["resolve"]]
    command = [str(target / "bin/python"), f"{pip}/pip", "install", "--only-binary=:all:", "--no-warn-script-location",
               "--disable-pip-version-check", "--progress-bar=off", "--no-input", "--find-links", str(cache), *wanted]
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_USER", "PIP_PREFIX")}
    with subprocess.Popen(command + (["--no-index"] if offline else []), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=env) as child:
        lines = []
        for line in child.stdout:
            lines.append(line.rstrip())
            if line.lstrip().startswith("Downloading"):
                progress.show(" ".join(line.split()))
    progress.clear()
    if child.returncode:
        raise Failure("pip says: " + "; ".join([line for line in lines if "ERROR" in line][:3] or lines[-3:]))
    if "resolve" in venv:
        record_resolved(target)


def record_resolved(target):
    """Writes what pip's report says was installed as a lock file: the same environment can be made again from it."""
    report = json.loads((target / "report.json").read_text())
    entries = []
    for one in report["install"]:
        digest = one["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256", "")
        entries.append(f"{one['metadata']['name']}=={one['metadata']['version']}" + (f" \\\n    --hash=sha256:{digest}" if digest else ""))
    (target / "resolved.lock").write_text("\n".join(sorted(entries, key=str.lower)) + "\n")
    (target / "report.json").unlink()


DSL_VERSION = re.compile(r"dsl-(\d+(?:\.\d+)+(?:\.?(?:dev|a|b|rc|post)\d+)?)")


def dsl_part(name, parts):
    """The part of a published version of the DSL that parts.json does not pin; None for another name. Companions have the versions of part dsl."""
    found = DSL_VERSION.fullmatch(name)
    if not found or "dsl" not in parts:
        return None
    pinned = parts["dsl"]["venv"]
    companions = [line.split()[0] for line in (ROOT / pinned["lock"]).read_text().splitlines()
                  if line.startswith(("apache-tvm-ffi==", "numpy=="))]
    return {"default": False, "for": f"the CuTe DSL compiler (nvidia-cutlass-dsl {found[1]}) in an environment of its own, resolved by pip",
            "needed_by": "read --compile --dsl-version", "venv": {**{k: pinned[k] for k in ("pythons", "pip")},
                                                                  "resolve": [f"nvidia-cutlass-dsl=={found[1]}", *companions]}}


def with_dsl_versions(names, parts):
    """`parts`, with one more for each name of a version of the DSL that is not among them."""
    more = {name: part for name in names if name not in parts and (part := dsl_part(name, parts))}
    return {**parts, **more}


def lock_text(part):
    """What the environment is to hold; None for a part that is none."""
    venv = part.get("venv")
    return None if not venv else "\n".join(venv["resolve"]) if "resolve" in venv else (ROOT / venv["lock"]).read_text()


def wanted_stamp(part):
    """What tells one state of a part from another; kept in the part's .stamp."""
    files = [[f["file"], f["sha256"], f.get("unpack"), f.get("into")] for f in part.get("files", [])]
    stamp = json.dumps(files)
    if part.get("links"):
        stamp += json.dumps(part["links"])
    if part.get("venv"):
        stamp += hashlib.sha256(lock_text(part).encode()).hexdigest()
    return stamp


def is_installed(name, part, deps):
    stamp = deps / name / ".stamp"
    return stamp.is_file() and stamp.read_text() == wanted_stamp(part)


def drop_leftovers(name, deps):
    """What a killed run left behind; the lock is ours, so nobody works in there."""
    for scratch in [*deps.glob(f".{name}-????????"), *deps.glob(f".{name}-????????.old")]:
        shutil.rmtree(scratch, ignore_errors=True)


def install(name, part, deps, cache, offline, progress):
    drop_leftovers(name, deps)
    scratch = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=deps))
    try:
        for spec in part.get("files", []):
            progress.show(f"{name}: unpacking {spec['file']}")
            unpack(download(spec, cache, offline, progress), spec, scratch)
        if part.get("venv"):
            make_venv(part, scratch, cache, offline, progress)
        for link, target in part.get("links", {}).items():
            (scratch / link).symlink_to(target)
        (scratch / ".stamp").write_text(wanted_stamp(part))
        scratch.chmod(0o755)
        if (deps / name).exists():
            old = scratch.with_name(scratch.name + ".old")
            (deps / name).rename(old)
            scratch.rename(deps / name)
            shutil.rmtree(old, ignore_errors=True)
        else:
            scratch.rename(deps / name)
    finally:
        progress.clear()
        shutil.rmtree(scratch, ignore_errors=True)


def run(names, parts, deps, offline=False):
    """Installs what is missing; 0, or 3 with the reason on stderr."""
    missing = [name for name in names if not is_installed(name, parts[name], deps)]
    if not missing:
        return 0
    cache = Path(os.environ.get("CUTELAB_DOWNLOADS") or deps / "downloads")
    progress = Progress()
    deps.mkdir(parents=True, exist_ok=True)
    with open(deps / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            progress.say("another set-up is at work; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for number, name in enumerate(missing, 1):
            if is_installed(name, parts[name], deps):
                continue
            size = parts[name].get("download_bytes")
            which = f" {number} of {len(missing)}," if len(missing) > 1 else ""
            progress.say(f"installing part{which} {name}" + (f" ({size / 1e6:.1f} MB)" if size else "") + f": {parts[name]['for']}")
            try:
                install(name, parts[name], deps, cache, offline, progress)
            except (Failure, OSError, subprocess.CalledProcessError, tarfile.TarError, zipfile.BadZipFile) as e:
                print(f"error: install part {name}: {e}\n"
                      f"  try: check the network, or name a folder that holds the files in CUTELAB_DOWNLOADS", file=sys.stderr)
                return 3
    return 0


def load_parts(path=ROOT / "deps/parts.json"):
    return json.loads(path.read_text())


def main_default():
    """Installs what building and reading need."""
    parts = load_parts()["pypi"]
    return run([n for n, p in parts.items() if p["default"]], parts, ROOT / "build/deps")


def main():
    parser = argparse.ArgumentParser(prog="fetch.py", description=__doc__.split("\n")[0])
    parser.add_argument("--deps", type=Path, default=ROOT / "build/deps")
    parser.add_argument("--parts", type=Path, default=ROOT / "deps/parts.json", dest="parts_file")
    parser.add_argument("--offline", action="store_true", help="use only what lies in CUTELAB_DOWNLOADS or was fetched before")
    parser.add_argument("parts", nargs="*", metavar="PART")
    args = parser.parse_intermixed_args()
    parts = with_dsl_versions(args.parts, load_parts(args.parts_file)["pypi"])
    unknown = [p for p in args.parts if p not in parts]
    if unknown:
        parser.error(f"unknown part {', '.join(unknown)}; known: {', '.join(parts)}")
    return run(args.parts or [n for n, p in parts.items() if p["default"]], parts, args.deps, args.offline)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
