"""A real llama.cpp server over a model with random weights, as a process: `python -m tests.fakes.llama_server FILE`.

It prints its address, and ends with its input. Nothing is downloaded.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

CONTEXT = 2048


def write_random_model(path: Path, seed: int = 0) -> None:
    """One layer of a Llama over bytes."""
    import gguf

    size, heads, inner = 64, 4, 128
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    kinds = [
        gguf.TokenType.UNKNOWN,
        gguf.TokenType.CONTROL,
        gguf.TokenType.CONTROL,
        *[gguf.TokenType.BYTE] * 256,
    ]
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(size)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(size // heads)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    random = np.random.default_rng(seed)
    for name, shape in {
        "token_embd": (len(tokens), size),
        "output": (len(tokens), size),
        **{f"blk.0.attn_{part}": (size, size) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (inner, size),
        "blk.0.ffn_up": (inner, size),
        "blk.0.ffn_down": (size, inner),
    }.items():
        writer.add_tensor(f"{name}.weight", random.normal(0, 0.5, shape).astype(np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(size, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@contextmanager
def running_llama(model: Path) -> Iterator[str]:
    """The address of a server with this model."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.llama_server", str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http"), "the server of xllamacpp did not start"
        yield f"{address}/v1"
    finally:
        process.stdin.close()
        process.wait(60)


def _serve(model: str) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {"random"}
    parameters.n_ctx, parameters.n_parallel, parameters.cpuparams.n_threads = 2 * CONTEXT, 2, 1
    parameters.warmup, parameters.port = False, 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1])
