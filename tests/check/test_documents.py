"""docs_commands and generated against a tree whose program is a shell script."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/check"))
import common
import docs_commands
import generated

PROGRAM = """#!/bin/sh
case "$1" in
  --help) printf 'usage\\n\\n  read       reads\\n' ;;
  read) echo "help of read" ;;
  *) echo "$@"; echo more; exit "${2:-0}" ;;
esac
"""


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write("build/release/cutelab", PROGRAM)
        (self.root / "build/release/cutelab").chmod(0o755)
        (self.root / "cutelab").symlink_to("build/release/cutelab")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def readme(self, block, info=""):
        self.write("README.md", f"# Title\n\n```console{info}\n{block}```\n")
        return docs_commands.check(self.root)


class DocsCommands(Tree):
    def test_output_as_shown(self):
        self.assertEqual(self.readme("$ ./cutelab a\na\nmore\n$ ./cutelab b\n...\n$ echo x\n"), [])

    def test_other_output_is_named_with_its_line(self):
        self.assertIn("README.md:4: `./cutelab a` prints something else", self.readme("$ ./cutelab a\nb\nmore\n")[0])

    def test_failing_command(self):
        self.assertIn("exit code 3, expected 0", self.readme("$ ./cutelab a 3\n")[0])
        self.assertEqual(self.readme("$ ./cutelab a 3  # exit 3\n"), [])
        self.assertEqual(len(self.readme("$ ./cutelab a  # exit 3\n")), 1)

    def test_command_over_two_lines_and_files_that_later_ones_see(self):
        self.assertEqual(self.readme("$ echo one \\\n  two > file\n$ cat file\none two\n"), [])
        self.assertFalse((self.root / "file").exists(), "files do not land in the tree")

    def test_no_run_is_counted(self):
        self.assertEqual(self.readme("$ false\n", " no-run"), [])
        self.assertEqual(docs_commands.check.remark, "0 commands run, 1 marked no-run")

    def test_pages_below_docs(self):
        self.write("docs/a/b.md", "```console\n$ false\n```\n")
        self.assertEqual(len(docs_commands.check(self.root)), 1)

    def test_without_the_program_it_is_skipped(self):
        (self.root / "build/release/cutelab").unlink()
        with self.assertRaises(common.Skip):
            docs_commands.check(self.root)


class Generated(Tree):
    def test_missing_page_then_update_then_stale(self):
        self.assertEqual(len(generated.check(self.root)), 1)
        generated.update(self.root)
        self.assertEqual(generated.check(self.root), [])
        page = self.root / "docs/cli/read.md"
        self.assertIn("help of read", page.read_text())
        page.write_text(page.read_text().replace("help of", "another"))
        self.assertIn("out of date", generated.check(self.root)[0])

    def test_text_around_the_block_is_kept(self):
        self.write("docs/cli/read.md", "# read\n<!-- begin generated: cutelab read --help -->\n<!-- end generated -->\nby hand\n")
        generated.update(self.root)
        text = (self.root / "docs/cli/read.md").read_text()
        self.assertTrue(text.endswith("by hand\n") and "help of read" in text, text)


if __name__ == "__main__":
    unittest.main()
