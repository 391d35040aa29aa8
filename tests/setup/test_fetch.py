"""fetch.py against an index of our own: torn downloads, wrong hashes, hostile archives, two at once, a kill in the middle."""
import hashlib
import http.server
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FETCH = ROOT / "tools/setup/fetch.py"


def wheel(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as z:
        for name, content, mode in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            z.writestr(info, content)
    return data.getvalue()


def sdist(members):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as t:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            t.addfile(info, io.BytesIO(content))
    return data.getvalue()


class Index(http.server.BaseHTTPRequestHandler):
    """/simple/<project>/ lists the server's files; how a file is served is the test's choice."""

    def do_GET(self):
        world = self.server
        world.asked.append(self.path)
        if self.path.startswith("/simple/"):
            body = "".join(f'<a href="/files/{name}#sha256=x">{name}</a>' for name in world.files).encode()
            return self.answer(body, len(body))
        body = world.files[self.path.rsplit("/", 1)[-1]]
        mode = world.modes.pop(0) if world.modes else "whole"
        if mode == "slow":
            self.answer(body[:10], len(body))
            world.halfway.set()
            world.go_on.wait(10)
            return self.wfile.write(body[10:])
        return self.answer(body[: len(body) // 2] if mode == "torn" else body, len(body))

    def answer(self, body, length):
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Fetch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tmp = Path(self.folder.name)
        self.deps = self.tmp / "deps"
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
        self.server.files, self.server.modes, self.server.asked = {}, [], []
        self.server.halfway, self.server.go_on = threading.Event(), threading.Event()
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.go_on.set)
        self.parts = {}

    def part(self, name, file, data, sha256=None, **more):
        self.server.files[file] = data
        spec = {"project": name, "version": "1", "file": file, "sha256": sha256 or hashlib.sha256(data).hexdigest()}
        self.parts[name] = {"default": True, "for": "a test", "files": [{**spec, **more}]}

    def command(self, *words):
        (self.tmp / "parts.json").write_text(json.dumps({"pypi": self.parts}))
        return [sys.executable, str(FETCH), "--deps", str(self.deps), "--parts", str(self.tmp / "parts.json"), *words]

    def environment(self, **more):
        port = self.server.server_address[1]
        return {"PATH": os.environ["PATH"], "HOME": str(self.tmp), "PIP_INDEX_URL": f"http://127.0.0.1:{port}/simple",
                "CUTELAB_RETRY_SECONDS": "0", **more}

    def fetch(self, *words, **more):
        return subprocess.run(self.command(*words), env=self.environment(**more), capture_output=True, text=True, check=False)

    def left(self):
        """What lies in deps, apart from the lock and the downloads."""
        return sorted(p.name for p in self.deps.iterdir() if p.name not in (".lock", "downloads"))

    def good_part(self):
        self.part("a", "a-1.whl", wheel([("top/x/run", b"#!/bin/sh\n", 0o100755), ("top/y", b"y", 0o100644), ("other", b"", 0)]),
                  unpack="top")

    def test_unpacks_below_the_prefix_and_keeps_execute_permission(self):
        self.good_part()
        done = self.fetch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.deps / "a/y").read_text(), "y")
        self.assertTrue(os.access(self.deps / "a/x/run", os.X_OK))
        self.assertFalse((self.deps / "a/other").exists())

    def test_second_run_asks_nobody(self):
        self.good_part()
        self.fetch()
        asked = len(self.server.asked)
        self.assertEqual(self.fetch().stderr, "")
        self.assertEqual(len(self.server.asked), asked)

    def test_torn_download_is_tried_again(self):
        self.good_part()
        self.server.modes = ["torn", "torn"]
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual(self.left(), ["a"])

    def test_torn_every_time_fails_and_leaves_nothing(self):
        self.good_part()
        self.server.modes = ["torn"] * 3
        done = self.fetch()
        self.assertEqual(done.returncode, 3)
        self.assertIn("the connection ended after", done.stderr)
        self.assertEqual((self.left(), list((self.deps / "downloads").iterdir())), ([], []))

    def test_wrong_hash_is_refused(self):
        self.part("a", "a-1.whl", wheel([("y", b"y", 0o644)]), sha256="0" * 64)
        done = self.fetch()
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "has SHA-256 [0-9a-f]{64}, expected 0000")
        self.assertEqual(self.left(), [])

    def test_torn_file_in_the_cache_is_fetched_anew(self):
        self.good_part()
        (self.deps / "downloads").mkdir(parents=True)
        (self.deps / "downloads/a-1.whl").write_bytes(self.server.files["a-1.whl"][:-5])
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual(self.left(), ["a"])

    def test_path_traversal_is_refused(self):
        for file, data in (("a-1.whl", wheel([("x/../../../evil", b"!", 0o644)])), ("a-1.tar.gz", sdist([("../evil", b"!")])),
                           ("a-2.whl", wheel([("/abs/../../evil", b"!", 0o644)]))):
            with self.subTest(file=file):
                self.part("a", file, data)
                done = self.fetch()
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("holds a path outside its folder", done.stderr)
                self.assertEqual((self.left(), list(self.tmp.glob("**/evil"))), ([], []))

    def test_file_that_is_no_archive(self):
        self.part("a", "a-1.whl", b"<html>sign in first</html>")
        self.assertEqual(self.fetch().returncode, 3)
        self.assertEqual(self.left(), [])

    def test_prefix_that_the_archive_lacks(self):
        self.part("a", "a-1.whl", wheel([("y", b"y", 0o644)]), unpack="elsewhere")
        self.assertIn("holds nothing below 'elsewhere/'", self.fetch().stderr)
        self.assertEqual(self.left(), [])

    def test_new_pin_replaces_the_part(self):
        self.good_part()
        self.fetch()
        self.part("a", "a-2.whl", wheel([("z", b"z", 0o644)]))
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual(sorted(p.name for p in (self.deps / "a").iterdir()), [".stamp", "z"])
        self.assertEqual(self.left(), ["a"])

    def test_failed_replacement_keeps_the_old_part(self):
        self.good_part()
        self.fetch()
        self.part("a", "a-2.whl", wheel([("z", b"z", 0o644)]), sha256="0" * 64)
        self.assertEqual(self.fetch().returncode, 3)
        self.assertEqual((self.deps / "a/y").read_text(), "y")

    def test_two_at_once_fetch_once(self):
        self.good_part()
        self.server.modes = ["slow"]
        first = subprocess.Popen(self.command(), env=self.environment(), stderr=subprocess.PIPE, text=True)
        self.assertTrue(self.server.halfway.wait(10))
        second = subprocess.Popen(self.command(), env=self.environment(), stderr=subprocess.PIPE, text=True)
        self.assertIn("waiting for it", second.stderr.readline())
        self.server.go_on.set()
        first.communicate(timeout=20)
        second.communicate(timeout=20)
        self.assertEqual((first.returncode, second.returncode), (0, 0))
        self.assertEqual(len([p for p in self.server.asked if p.startswith("/files/")]), 1)

    def test_kill_in_the_middle_leaves_nothing_half_done(self):
        self.good_part()
        self.server.modes = ["slow"]
        child = subprocess.Popen(self.command(), env=self.environment(), stderr=subprocess.DEVNULL)
        self.assertTrue(self.server.halfway.wait(10))
        child.send_signal(signal.SIGKILL)
        child.wait()
        self.assertFalse((self.deps / "a").exists())
        self.server.go_on.set()
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual(self.left(), ["a"], "the killed run's folder is cleared away")

    def test_offline(self):
        self.good_part()
        done = self.fetch("--offline")
        self.assertEqual(done.returncode, 3)
        self.assertIn("--offline forbids", done.stderr)
        self.assertEqual(self.server.asked, [])
        (self.tmp / "kept").mkdir()
        (self.tmp / "kept/a-1.whl").write_bytes(self.server.files["a-1.whl"])
        self.assertEqual(self.fetch("--offline", CUTELAB_DOWNLOADS=str(self.tmp / "kept")).returncode, 0)

    def test_no_network(self):
        self.good_part()
        begin = time.monotonic()
        done = self.fetch(PIP_INDEX_URL="http://127.0.0.1:9/simple")
        self.assertEqual(done.returncode, 3)
        self.assertIn("CUTELAB_DOWNLOADS", done.stderr)
        self.assertLess(time.monotonic() - begin, 10)

    def test_file_that_the_index_does_not_list(self):
        self.good_part()
        self.server.files = {}
        self.assertIn("does not list a-1.whl", self.fetch().stderr)

    def test_unknown_part_is_wrong_use(self):
        self.good_part()
        self.assertEqual(self.fetch("b").returncode, 2)

    def test_index_of_pip_configuration(self):
        self.good_part()
        port = self.server.server_address[1]
        (self.tmp / ".config/pip").mkdir(parents=True)
        (self.tmp / ".config/pip/pip.conf").write_text(f"[global]\nindex-url = http://127.0.0.1:{port}/simple/\n")
        self.assertEqual(self.fetch(PIP_INDEX_URL="").returncode, 0)


class Pins(unittest.TestCase):
    """deps/parts.json itself."""

    def setUp(self):
        self.all = json.loads((ROOT / "deps/parts.json").read_text())

    def test_every_file_is_pinned(self):
        for name, part in self.all["pypi"].items():
            files = part.get("files", []) + ([part["venv"]["pip"]] if "venv" in part else [])
            self.assertTrue(files, name)
            for spec in files:
                self.assertRegex(spec["sha256"], r"^[0-9a-f]{64}$")
                self.assertIn(spec["version"], spec["file"])
            for field in ("for", "needed_by", "download_bytes", "installed_bytes", "default"):
                self.assertIn(field, part, name)

    def test_every_locked_package_has_hashes(self):
        for name, part in self.all["pypi"].items():
            if "venv" not in part:
                continue
            text = (ROOT / part["venv"]["lock"]).read_text().replace("\\\n", " ")
            for line in filter(lambda l: l and not l.startswith("#"), text.split("\n")):
                self.assertRegex(line, r"^[\w.-]+==[\w.]+(\s+--hash=sha256:[0-9a-f]{64})+$", name)

    def test_what_a_first_reading_fetches_is_small(self):
        size = sum(p["download_bytes"] for p in self.all["pypi"].values() if p["default"])
        self.assertLess(size, 10e6)


class DslVersions(unittest.TestCase):
    """Environments of a published version of the DSL that parts.json does not pin."""

    def setUp(self):
        sys.path.insert(0, str(FETCH.parent))
        import fetch

        self.fetch, self.parts = fetch, fetch.load_parts()["pypi"]

    def test_a_version_becomes_a_part_with_the_pinned_companions(self):
        part = self.fetch.with_dsl_versions(["dsl-4.6.2"], self.parts)["dsl-4.6.2"]
        wanted = part["venv"]["resolve"]
        self.assertEqual(wanted[0], "nvidia-cutlass-dsl==4.6.2")
        self.assertTrue(any(w.startswith("apache-tvm-ffi==") for w in wanted), wanted)
        self.assertEqual(self.fetch.wanted_stamp(part), self.fetch.wanted_stamp(dict(part)))
        other = self.fetch.with_dsl_versions(["dsl-4.5.0"], self.parts)["dsl-4.5.0"]
        self.assertNotEqual(self.fetch.wanted_stamp(part), self.fetch.wanted_stamp(other))

    def test_a_pinned_version_stays_pinned_and_other_names_stay_unknown(self):
        with_more = self.fetch.with_dsl_versions(["dsl-4.7.0", "dsl-sources", "dsl-", "dsl-4.7.0; rm", "cutile-1.0"], self.parts)
        self.assertEqual(set(with_more), set(self.parts))
        self.assertIn("lock", with_more["dsl-4.7.0"]["venv"])

    def test_what_was_resolved_is_recorded_with_hashes(self):
        report = {"install": [{"metadata": {"name": "b", "version": "2"}, "download_info": {"archive_info": {"hashes": {"sha256": "f0"}}}},
                              {"metadata": {"name": "A", "version": "1"}, "download_info": {}}]}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "report.json").write_text(json.dumps(report))
            self.fetch.record_resolved(Path(folder))
            self.assertEqual((Path(folder) / "resolved.lock").read_text(), "A==1\nb==2 \\\n    --hash=sha256:f0\n")

    def test_what_torch_lends_is_not_what_an_environment_of_the_dsl_has(self):
        """Its folder comes first in the search for modules: another numpy there would take the place of the environment's."""
        def packages(part):
            return {line.split("==")[0].lower() for line in self.fetch.lock_text(self.parts[part]).splitlines() if "==" in line}

        self.assertIn("torch", packages("torch"))
        for name in ("dsl", "dsl-4.7.0"):
            self.assertEqual(packages("torch") & packages(name), set(), name)
        self.assertEqual(self.parts["torch"]["venv"]["pythons"], self.parts["dsl"]["venv"]["pythons"])

    def test_both_locks_of_the_dsl_hold_what_the_examples_import(self):
        for name in ("dsl", "dsl-4.7.0"):
            text = self.fetch.lock_text(self.parts[name])
            for package in ("nvidia-cutlass-dsl", "apache-tvm-ffi", "numpy", "cuda-bindings"):
                self.assertRegex(text, rf"(?m)^{package}==\S+ \\\n +--hash=sha256:[0-9a-f]{{64}}", (name, package))


if __name__ == "__main__":
    unittest.main()
