"""`premise-suggest generator`: makes checkpoints of transformers ready, and lists and removes those that are."""

from __future__ import annotations

import argparse
import shlex
import sys

from lean_extract.common.terminal_text import shown
from lsp_server.commands.common import show_first_use
from lsp_server.engine.generators import (
    BYT5,
    add_generator,
    added_generators,
    generators_folder,
    remove_generator,
    setting_of,
)
from lsp_server.rendering.progress_bar import ProgressBar
from prover.generator.checkpoints import CHOSEN

EXAMPLES = (
    "premise-suggest generator add ~/models/leandojo-lean4-retriever-tacgen-byt5-small",
    "premise-suggest generator add OWNER/NAME --form llmstep   # from the cache of the hub",
    "premise-suggest generator                                 # what there is",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.set_defaults(action="list")
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", help="add or remove; without it they are listed"
    )
    text = "make a checkpoint of transformers ready"
    add = actions.add_parser("add", description=f"{text[0].upper()}{text[1:]}.", help=text)
    text = "its folder, or owner/name on the Hugging Face hub"
    add.add_argument("name", metavar="PATH|OWNER/NAME", help=text)
    text = "how its prompts are written (default: by its name; docs/generator.md says what each is)"
    add.add_argument("--form", choices=CHOSEN, default="", help=text)
    add.add_argument("--download", action="store_true", help="download it if it is not on this machine")
    text = "remove one of those that are listed"
    remove = actions.add_parser("remove", description=f"{text[0].upper()}{text[1:]}.", help=text)
    remove.add_argument("key", metavar="KEY", help="the first word of its line")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.action == "add":
        return _add(options)
    if options.action == "remove":
        print(f"{options.key}: {remove_generator(options.key) / 1e6:.1f} MB removed.")
        return 0
    return _list()


def _add(options: argparse.Namespace) -> int:
    show_first_use()
    with ProgressBar(quiet=False) as bar:
        folder = add_generator(options.name, options.form, download=options.download, on_stage=bar.note)
    setting = setting_of(options.name, options.form)
    print(f"Ready: {folder}")
    print(
        f'Use it: --generator {shlex.quote(setting)}, or in the settings: [tactics] generator = "{setting}"'
    )
    return 0


def _list() -> int:
    for one in added_generators():
        size = f"{one.parameters / 1e6:.0f}M parameters, {one.size / 1e6:.0f} MB"
        print(f"{one.key}  {one.form}, {size}, of {shown(one.source, longest=0)}")
    print(f"Shipped: {BYT5}. Those added are in {generators_folder()}", file=sys.stderr)
    return 0
