#!/usr/bin/env python3
"""Fetch and unpack the PyPI parts of deps/parts.json into build/deps, by exact file name and SHA-256.

usage: fetch.py [--deps DIR] [--list] [--json] [PART …]     no PART: all default parts

A part is unpacked beside its place and moved there whole, so an interrupted run leaves nothing half done.
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
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Failure(Exception):
    pass


def index_url():
    """The package index that pip would use."""
    if os.environ.get("PIP_INDEX_URL"):
        return os.environ["PIP_INDEX_URL"].rstrip("/") + "/"
    home = Path(os.environ.get("HOME", "/"))
    for path in (home / ".config/pip/pip.conf", home / ".pip/pip.conf", Path("/etc/pip.conf")):
        config = configparser.ConfigParser()
        try:
            config.read(path)
        except configparser.Error:
            continue
        if config.get("global", "index-url", fallback=""):
            return config.get("global", "index-url").rstrip("/") + "/"
    return "https://pypi.org/simple/"


def get(url):
    with urllib.request.urlopen(url, timeout=120) as reply:
        return reply.read()


def file_url(spec):
    """Where the index keeps this very file."""
    page_url = urllib.parse.urljoin(index_url(), spec["project"] + "/")
    page = get(page_url).decode("utf-8", "replace")
    for href in re.findall(r'<a[^>]*href="([^"]+)"', page):
        url = urllib.parse.urljoin(page_url, html.unescape(href)).split("#")[0]
        if url.rsplit("/", 1)[-1] == spec["file"]:
            return url
    raise Failure(f"{page_url} does not list {spec['file']}")


def checked(data, spec, origin):
    digest = hashlib.sha256(data).hexdigest()
    if digest != spec["sha256"]:
        raise Failure(f"{spec['file']} from {origin} has SHA-256 {digest}, expected {spec['sha256']}")
    return data


def download(spec, cache):
    kept = cache / spec["file"]
    if kept.is_file():
        try:
            return checked(kept.read_bytes(), spec, kept)
        except Failure:
            kept.unlink(missing_ok=True)  # a torn download; fetch it anew
    url = file_url(spec)
    data = checked(get(url), spec, url)
    cache.mkdir(parents=True, exist_ok=True)
    part = kept.with_name(f"{kept.name}.{os.getpid()}.part")
    part.write_bytes(data)
    part.replace(kept)
    return data


def members(archive_path):
    """(name, is_file, reader) of each member of a wheel or source distribution."""
    if zipfile.is_zipfile(archive_path):
        with zipfile.ZipFile(archive_path) as z:
            for info in z.infolist():
                yield info.filename, not info.is_dir(), lambda i=info: z.read(i)
    else:
        with tarfile.open(archive_path) as t:
            for info in t:
                yield info.name, info.isfile(), lambda i=info: t.extractfile(i).read()


def unpack(data, spec, target):
    prefix = spec.get("unpack", "").rstrip("/") + "/" if spec.get("unpack") else ""
    base = target / spec["into"] if spec.get("into") else target
    with tempfile.NamedTemporaryFile() as archive:
        archive.write(data)
        archive.flush()
        for name, is_file, read in members(archive.name):
            if not is_file or not name.startswith(prefix):
                continue
            place = (base / name[len(prefix):]).resolve()
            if base.resolve() not in place.parents:
                raise Failure(f"{spec['file']} holds a path outside its folder: {name}")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(read())


def wanted_stamp(part):
    return json.dumps([[f["file"], f["sha256"], f.get("unpack"), f.get("into")] for f in part["files"]])


def is_installed(name, part, deps):
    stamp = deps / name / ".stamp"
    return stamp.is_file() and stamp.read_text() == wanted_stamp(part)


def install(name, part, deps, cache):
    deps.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=deps))
    try:
        for spec in part["files"]:
            unpack(download(spec, cache), spec, scratch)
        (scratch / ".stamp").write_text(wanted_stamp(part))
        scratch.chmod(0o755)
        if (deps / name).exists():
            shutil.rmtree(deps / name)
        scratch.rename(deps / name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def run(names, parts, deps):
    cache = Path(os.environ.get("CUTELAB_DOWNLOADS") or deps / "downloads")
    deps.mkdir(parents=True, exist_ok=True)
    with open(deps / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two first starts at once: one fetches, the other waits
        for name in names:
            if is_installed(name, parts[name], deps):
                continue
            print(f"cutelab setup: {name} ({parts[name]['for']})", file=sys.stderr, flush=True)
            try:
                install(name, parts[name], deps, cache)
            except (Failure, OSError) as e:
                print(f"cutelab setup: cannot install {name}: {e}\n"
                      f"  Check the network or name a folder that holds the files in CUTELAB_DOWNLOADS.", file=sys.stderr)
                return 3
    return 0


def main():
    parser = argparse.ArgumentParser(prog="fetch.py", description=__doc__.split("\n")[0])
    parser.add_argument("--deps", type=Path, default=ROOT / "build/deps")
    parser.add_argument("parts", nargs="*", metavar="PART")
    args = parser.parse_args()
    parts = json.loads((ROOT / "deps/parts.json").read_text())["pypi"]
    unknown = [p for p in args.parts if p not in parts]
    if unknown:
        parser.error(f"unknown part {', '.join(unknown)}; known: {', '.join(parts)}")
    return run(args.parts or [n for n, p in parts.items() if p["default"]], parts, args.deps)


if __name__ == "__main__":
    sys.exit(main())
