"""Checkpoints of others: those that are known write what transformers writes, the others are refused with a reason."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from lean_extract.common.errors import ModelError
from lean_extract.goals import parse_goal
from prover.generator.alphabet import Tokens
from prover.generator.checkpoints import DECODERS, KNOWN, read_checkpoint
from prover.generator.model import Generator, settings_for
from tests.commands import command
from tests.prover.generator.conftest import PREMISES

pytestmark = pytest.mark.train

main = command("prover export")
GOAL = parse_goal("n m : ℕ\nh : n = m\n⊢ m = n")
TACTICS = ("rfl", "simp", "exact h.symm")
END = "<|end|>"
Make = Callable[..., Path]


def byte_level() -> Tokenizer:
    """A tokenizer of bytes, as GPT-2's before any merge, with one special token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({sign: number for number, sign in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([END])
    return tokenizer


SHAPE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 512,
}
SHAPES: dict[str, dict[str, Any]] = {
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512},
    "gpt_neox": {name: value for name, value in SHAPE.items() if name != "num_key_value_heads"},
    "mistral": {**SHAPE, "sliding_window": 256},
    "qwen3": {**SHAPE, "head_dim": 16},
}


@pytest.fixture
def make_decoder(tmp_path: Path) -> Make:
    """The folder of a small decoder-only model that has learned three tactics for one goal."""

    def make(kind: str, name: str = "llmstep-tiny", **changes: Any) -> Path:
        torch.manual_seed(0)
        tokenizer = byte_level()
        end = tokenizer.token_to_id(END)
        config = transformers.AutoConfig.for_model(
            kind,
            vocab_size=end + 8,
            eos_token_id=end,
            bos_token_id=end,
            pad_token_id=end,
            **SHAPES.get(kind, SHAPE),
        )
        model = transformers.AutoModelForCausalLM.from_config(config)
        folder = tmp_path / name
        folder.mkdir()
        tokenizer.save(str(folder / "tokenizer.json"))
        learn(model, Tokens("llmstep", tokenizer, (end,), end + 8).prompt([GOAL], (), 400), tokenizer, end)
        model.save_pretrained(folder, **changes)
        return folder

    return make


def learn(model: Any, prompt: list[int], tokenizer: Tokenizer, end: int) -> None:
    rows = [[*prompt, *tokenizer.encode(tactic).ids, end] for tactic in TACTICS]
    symbols = torch.tensor([row + [end] * (max(map(len, rows)) - len(row)) for row in rows])
    labels = symbols.clone()
    labels[:, : len(prompt)] = -100
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(40):
        optimiser.zero_grad()
        model(input_ids=symbols, labels=labels).loss.backward()
        optimiser.step()
    model.eval()


@pytest.mark.slow
@pytest.mark.parametrize("kind", DECODERS)
def test_a_decoder_only_model_writes_what_transformers_writes(
    make_decoder: Make, tmp_path: Path, kind: str
) -> None:
    folder = make_decoder(kind)
    assert main([str(folder), str(tmp_path / "ours"), "--fp32"]) == 0
    generator = Generator.load(tmp_path / "ours")
    assert generator.config.tokens is not None
    ends, size = generator.config.tokens.ends, generator.config.symbols
    alphabet = Tokens.load(folder / "tokenizer.json", "llmstep", ends, size)
    prompt = alphabet.prompt([GOAL], PREMISES, generator.config.max_prompt_bytes)
    beams = settings_for(4, 32, 0, alphabet).beams
    with torch.no_grad():
        theirs = transformers.AutoModelForCausalLM.from_pretrained(folder).generate(
            torch.tensor([prompt]),
            num_beams=beams,
            num_return_sequences=beams,
            max_new_tokens=33,
            length_penalty=0.0,
            suppress_tokens=list(alphabet.excluded(())),
            do_sample=False,
            output_scores=True,
            return_dict_in_generate=True,
        )
    written = [row[len(prompt) :] for row in theirs.sequences.tolist()]
    (end,) = ends
    expected: dict[str, float] = {}
    for row, score in zip(written, theirs.sequences_scores.tolist(), strict=True):
        tactic = alphabet.tactic(row[: row.index(end)], ()) if end in row else None
        if tactic is not None:
            expected.setdefault(tactic, score)
    best = dict(list(expected.items())[:3])
    ours = generator.generate([GOAL], PREMISES, count=4, max_bytes=32)
    assert len(best) >= 2
    assert ours[0].tactic == next(iter(best))
    assert {one.tactic: one.log_probability for one in ours if one.tactic in best} == pytest.approx(
        best, abs=1e-2
    )


@pytest.mark.slow
def test_a_t5_with_a_tokenizer_of_its_own(make_t5: Callable[..., Any], tmp_path: Path) -> None:
    tokenizer = byte_level()
    end = tokenizer.token_to_id(END)
    folder = tmp_path / "theirs"
    make_t5(1, vocab_size=end + 4, eos_token_id=end, pad_token_id=end).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    assert main([str(folder), str(tmp_path / "ours"), "--fp32"]) == 0
    generator = Generator.load(tmp_path / "ours")
    assert generator.config.form == "reprover"
    for one in generator.generate([GOAL], PREMISES, count=8, max_bytes=3):
        assert one.tactic.isprintable() and one.log_probability < 0


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("leandojo-lean4-tacgen-byt5-small", "state"),
        ("leandojo-lean4-retriever-tacgen-byt5-small", "reprover"),
        ("models--kaiyuy--leandojo-lean4-tacgen-byt5-small/snapshots/abc", "state"),
        ("mine", "reprover"),
    ],
)
def test_the_form_of_a_published_checkpoint_is_known_by_its_name(
    make_t5: Callable[..., Any], tmp_path: Path, name: str, form: str
) -> None:
    make_t5().save_pretrained(tmp_path / name)
    assert read_checkpoint(tmp_path / name).form == form
    assert read_checkpoint(tmp_path / name, "llmstep").form == "llmstep"


class Spy:
    """What a pickle with code is: reading it would make the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self._path,)


def test_code_in_a_checkpoint_is_not_run(
    make_t5: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, made = tmp_path / "source", tmp_path / "made"
    make_t5().config.save_pretrained(source)
    torch.save({"weights": Spy(made)}, source / "pytorch_model.bin")
    assert main([str(source), str(tmp_path / "out")]) == 1
    (source / "pytorch_model.bin").write_bytes(pickle.dumps(Spy(made)))
    assert main([str(source), str(tmp_path / "out")]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert not made.exists()
    assert not (tmp_path / "out").exists()


def changed(folder: Path, **values: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def huge(folder: Path) -> None:
    """A file of safetensors whose list says that it has more numbers than any that is exported."""
    header = json.dumps(
        {"w": {"dtype": "F32", "shape": [1 << 20, 1 << 20], "data_offsets": [0, 1 << 42]}}
    ).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)


REFUSED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), "config.json is missing", KNOWN),
    "no object": (lambda f: (f / "config.json").write_text("[]"), "holds no object", "Fetch"),
    "damaged config": (lambda f: (f / "config.json").write_text("{"), "cannot be read", "Fetch"),
    "nested config": (lambda f: (f / "config.json").write_text("[" * 100_000), "cannot be read", "Fetch"),
    "bert": (lambda f: changed(f, model_type="bert"), "'bert', which is not known", KNOWN),
    "no kind": (lambda f: changed(f, model_type=["t5"]), "not known", KNOWN),
    "encoder": (
        lambda f: changed(f, architectures=["T5EncoderModel"]),
        "T5EncoderModel', which writes no",
        KNOWN,
    ),
    "quantised": (lambda f: changed(f, quantization_config={"bits": 4}), "quantised", "as it was before"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "no weights", "Save it"),
    "damaged": (lambda f: (f / "model.safetensors").write_bytes(b"\x00" * 64), "damaged", "Fetch"),
    "a list": (
        lambda f: (f / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0[]"),
        "cannot be read",
        "Fetch",
    ),
    "too large": (huge, "too many to export", "through a server"),
    "no tokenizer": (lambda f: changed(f, vocab_size=500), "no tokenizer.json", "AutoTokenizer"),
    "ctranslate2": (lambda f: (f / "model.bin").write_bytes(b"x"), "CTranslate2", "kaiyuy/"),
    "strange start": (lambda f: changed(f, decoder_start_token_id=-1), "decoder_start_token_id", KNOWN),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_known_is_refused_with_what_is(
    make_t5: Callable[..., Any], tmp_path: Path, kind: str
) -> None:
    spoil, message, hint = REFUSED[kind]
    make_t5().save_pretrained(tmp_path / "theirs")
    spoil(tmp_path / "theirs")
    with pytest.raises(ModelError) as caught:
        read_checkpoint(tmp_path / "theirs")
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_folders_of_other_programs_are_named(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelError, match="GGUF"):
        read_checkpoint(tmp_path)
    (tmp_path / "model.gguf").unlink()
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(ModelError, match="adapter"):
        read_checkpoint(tmp_path)


def test_a_decoder_only_model_whose_form_is_unknown_is_not_guessed(make_decoder: Make) -> None:
    folder = make_decoder("gpt2", "mine")
    with pytest.raises(ModelError) as caught:
        read_checkpoint(folder)
    assert "--form" in caught.value.hint
    assert read_checkpoint(folder, "bfs-prover").form == "bfs-prover"
    with pytest.raises(ModelError, match="not a form"):
        read_checkpoint(folder, "chat")
    shutil.copy(folder / "config.json", folder / "generation_config.json")
    (folder / "generation_config.json").write_text('{"eos_token_id": "x"}')
    with pytest.raises(ModelError, match="is no token"):
        read_checkpoint(folder, "llmstep")


def test_a_long_state_keeps_its_target() -> None:
    tokenizer = byte_level()
    alphabet = Tokens("llmstep", tokenizer, (tokenizer.token_to_id(END),), 300)
    long = parse_goal("\n".join(f"h{number} : {'x + ' * 50}x = y" for number in range(200)) + "\n⊢ m = n")
    prompt = alphabet.prompt([long], PREMISES, 200)
    text = tokenizer.decode(prompt)
    assert len(prompt) <= 200
    assert text.startswith("[GOAL]") and text.endswith("⊢ m = n[PROOFSTEP]")
    assert alphabet.excluded(()) == sorted({tokenizer.encode("\n").ids[0], *alphabet.excluded(())})
    assert alphabet.tactic(tokenizer.encode("simp\nrfl").ids, ()) is None
    assert alphabet.first_word(tuple(tokenizer.encode("exact h").ids)) == "exact"
    assert alphabet.first_word(tuple(tokenizer.encode("exact").ids)) is None


def test_the_reprover_form_lists_the_best_premise_nearest_to_the_state() -> None:
    tokenizer = byte_level()
    alphabet = Tokens("reprover", tokenizer, (tokenizer.token_to_id(END),), 300)
    both = tokenizer.decode(alphabet.prompt([GOAL], PREMISES, 1000))
    assert both.index("And.intro") < both.index("Nat.add_comm") < both.index("⊢ m = n")
    room = len(alphabet.prompt([GOAL], PREMISES[:1], 1000))
    assert "And.intro" not in tokenizer.decode(alphabet.prompt([GOAL], PREMISES, room))
