"""Language models made from a configuration, saved as users have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

__all__ = ["KINDS", "WORDS", "save_tiny_model"]

KINDS = ("bert", "gpt2", "t5", "llama")
WORDS = ("[PAD]", "[UNK]", "the", "cat", "sat", "on", "mat", "a", "dog")

_REASON = "models need the extra samapprox[transformers]"


def save_tiny_model(kind: str, folder: Path, *, positions: int = 32) -> Any:
    """Save a model of 2 layers of 2 heads of dimension 4 with random weights, and its tokenizer."""
    torch = pytest.importorskip("torch", reason=_REASON)
    transformers = pytest.importorskip("transformers", reason=_REASON)
    torch.manual_seed(KINDS.index(kind))
    model = _MODELS[kind](transformers, positions)
    log = transformers.utils.logging
    log.disable_progress_bar()
    model.save_pretrained(folder)
    _tokenizer(transformers).save_pretrained(folder)
    return model


def _tokenizer(transformers: Any) -> Any:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token="[UNK]", pad_token="[PAD]"
    )


def _bert(transformers: Any, positions: int) -> Any:
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=positions,
    )
    return transformers.BertModel(config)


def _gpt2(transformers: Any, positions: int) -> Any:
    config = transformers.GPT2Config(
        vocab_size=len(WORDS),
        n_embd=8,
        n_layer=2,
        n_head=2,
        n_positions=positions,
        bos_token_id=0,
        eos_token_id=0,
    )
    return transformers.GPT2LMHeadModel(config)


def _t5(transformers: Any, _positions: int) -> Any:
    config = transformers.T5Config(
        vocab_size=len(WORDS),
        d_model=8,
        d_kv=4,
        d_ff=8,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=0,
    )
    return transformers.T5ForConditionalGeneration(config)


def _llama(transformers: Any, positions: int) -> Any:
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=positions,
    )
    return transformers.LlamaForCausalLM(config)


_MODELS = {"bert": _bert, "gpt2": _gpt2, "t5": _t5, "llama": _llama}
