from __future__ import annotations

from lean_extract.records import Import
from retriever.lean.scope import ModuleNode, importable


def old(*imports: str) -> ModuleNode:
    return ModuleNode(tuple(Import(name) for name in imports))


def modern(*imports: Import) -> ModuleNode:
    return ModuleNode(imports, in_module_system=True)


def test_old_files_pass_every_import_on() -> None:
    graph = {"A": old("B"), "B": old("C"), "C": old(), "D": old("A")}
    assert importable(graph, ["A"]) == {"A", "B", "C", "Init"}


def test_module_files_pass_only_public_imports_on() -> None:
    graph = {
        "A": modern(Import("B", is_public=True), Import("Hidden")),
        "B": modern(Import("C", is_public=True)),
        "C": modern(),
        "Hidden": modern(Import("D", is_public=True)),
    }
    assert importable(graph, ["A"]) == {"A", "B", "C", "Init"}
    assert "D" in importable(graph, ["Hidden"])


def test_an_old_file_between_module_files_passes_all_on() -> None:
    graph = {"A": old("B"), "B": modern(Import("C"), Import("D", is_public=True))}
    assert importable(graph, ["A"]) == {"A", "B", "D", "Init"}


def test_cycles_and_unknown_modules_end() -> None:
    graph = {"A": old("B"), "B": old("A", "Elsewhere")}
    assert importable(graph, ["A"]) == {"A", "B", "Elsewhere", "Init"}


def test_what_the_prelude_imports_is_always_there() -> None:
    assert importable({"Init": old("Init.Core")}, []) == {"Init", "Init.Core"}
