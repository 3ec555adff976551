"""Attention weights of language models in local folders, computed on texts."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.weights.rows import is_causal
from samapprox.errors import InputError, InputWarning
from samapprox.support.packages import require_package

_PARTS = {
    "attentions": "",
    "encoder_attentions": "encoder",
    "decoder_attentions": "decoder",
    "cross_attentions": "cross",
}
"""Member of a model's output -> the part of the model that its weights belong to."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerAttention:
    """The attention weights of one layer on one text.

    Attributes
    ----------
    part : {"", "encoder", "decoder", "cross"}
        Which attention of an encoder-decoder model it is; empty for all other models.
    layer, text : int
        Numbers of the layer and of the text, from 0.
    queries, keys : tuple of str
        The tokens of the rows and of the columns; only cross attention has different ones.
    weights : ndarray of float32, shape (H, m, n)
        Of every head.
    """

    part: str
    layer: int
    text: int
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    weights: NDArray[np.float32]

    @property
    def is_causal(self) -> bool:
        """Whether no head attends to a later token; False for a single token."""
        return self.part != "cross" and is_causal(self.weights)


class LanguageModel:
    """A language model with its tokenizer, read from a folder that `save_pretrained` wrote.

    Parameters
    ----------
    folder : path
        Holds config.json, the weights and the tokenizer. Nothing is downloaded, and code in the
        folder is not run.

    Attributes
    ----------
    name : str
        Of the folder.
    head_dimension : int or None
        The dimension of queries and keys that the configuration gives to each head.

    Raises
    ------
    InputError
        The packages torch and transformers are missing, or the folder holds no complete model.

    Notes
    -----
    Weights are converted to float32. Attention is computed by the plain formulas
    (``attn_implementation="eager"``), which alone give the weights back.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        _require_model_folder(self._folder)
        self.name = self._folder.resolve().name
        self._torch = require_package("torch", "transformers", "Running a model")
        transformers = require_package("transformers", "transformers", "Running a model")
        with _quiet(transformers):
            try:
                config = transformers.AutoConfig.from_pretrained(self._folder, **_LOCAL)
                self._tokenizer = transformers.AutoTokenizer.from_pretrained(self._folder, **_LOCAL)
                self._model = self._load(transformers, config)
            except InputError:
                raise
            except Exception as error:  # whatever its readers raise on whatever lies there
                raise InputError(
                    f"{folder}: not a model that can be read: {_reason(error)}"
                ) from None
        self._config = config
        self.head_dimension = _head_dimension(config)

    def _load(self, transformers: Any, config: Any) -> Any:
        """The model of the class that the folder was saved from, with all of its weights."""
        named = (getattr(config, "architectures", None) or [""])[0]
        kind = getattr(transformers, named, transformers.AutoModel)
        model, found = kind.from_pretrained(
            self._folder,
            config=config,
            attn_implementation="eager",
            output_loading_info=True,
            **_LOCAL,
        )
        missing = sorted(name for name in found["missing_keys"] if "pooler" not in name)
        if missing:
            raise InputError(
                f"{self._folder}: {len(missing)} of the model's weights are missing "
                f"({missing[0]}, ..): save the whole model by save_pretrained"
            )
        return model.float().eval()

    def attentions(self, text: str, number: int = 0) -> Iterator[LayerAttention]:
        """Run the model on a text.

        Parameters
        ----------
        text : str
            The text whose attention is computed.
        number : int
            Which text it is, for results and messages.

        Yields
        ------
        LayerAttention
            Layer by layer; of an encoder-decoder model first the encoder's, then the decoder's and
            the cross attention. Its decoder reads the same text, shifted by one token.

        Raises
        ------
        InputError
            The text has no token, or the model fails on it or gives no attention weights.

        Warns
        -----
        InputWarning
            The text is longer than the model takes; the rest is left out.

        Notes
        -----
        The text runs alone, so that there is no padding. Its weights take 4 L H n^2 bytes for L
        layers, H heads and n tokens; each layer's are freed when the next layer is asked for.
        """
        place = f"{self._folder}: text {number}"
        given, tokens = self._tokenize(text, place)
        queries = tokens
        if self._config.is_encoder_decoder:
            start = self._first_decoder_token(place)
            ids = given["input_ids"]
            first = self._torch.full_like(ids[:, :1], start)
            given["decoder_input_ids"] = self._torch.cat([first, ids[:, :-1]], dim=1)
            queries = (*self._tokens([start]), *tokens[:-1])
        parts = self._run(given, f"{place}: the model fails on {len(tokens)} tokens")
        if not any(layer is not None for layers in parts.values() for layer in layers):
            raise InputError(f"{place}: the model gives no attention weights")
        for part, layers in parts.items():
            rows = queries if part in ("decoder", "cross") else tokens
            columns = queries if part == "decoder" else tokens
            for layer in range(len(layers)):
                found, layers[layer] = layers[layer], None  # so that it is freed
                if found is None:  # a layer without attention
                    continue
                weights = np.asarray(found[0].float().numpy())
                if weights.shape[1:] != (len(rows), len(columns)):
                    raise InputError(
                        f"{place}: layer {layer} gives weights of shape {weights.shape}, not one "
                        f"for each of {len(rows)} x {len(columns)} pairs of tokens"
                    )
                yield LayerAttention(part, layer, number, rows, columns, weights)

    def _run(self, given: Mapping[str, Any], failure: str) -> dict[str, list[Any]]:
        """The weights of all layers, as tensors of shape (1, H, m, n), by the part of the model."""
        try:
            with self._torch.inference_mode():
                output = self._model(**given, output_attentions=True, use_cache=False)
        except Exception as error:
            raise InputError(f"{failure}: {_reason(error)}") from None
        return {part: list(getattr(output, member, None) or ()) for member, part in _PARTS.items()}

    def _tokenize(self, text: str, place: str) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The model's input and the tokens, cut where the model's input ends."""
        limits = (self._tokenizer.model_max_length, self._most_positions())
        most = min(limit for limit in limits if limit)
        full = len(self._tokenizer(text, verbose=False)["input_ids"])
        if full > most:
            warnings.warn(
                f"{place}: the model takes {most} of its {full} tokens; the rest is left out",
                InputWarning,
                stacklevel=4,
            )
        if not full:
            raise InputError(f"{place}: the tokenizer finds no token in {text[:40]!r}")
        found = self._tokenizer(
            text, truncation=True, max_length=min(full, most), return_tensors="pt"
        )
        given = {name: found[name] for name in ("input_ids", "attention_mask") if name in found}
        return given, self._tokens(found["input_ids"][0].tolist())

    def _most_positions(self) -> int | None:
        most = getattr(self._config, "max_position_embeddings", None)
        return most if isinstance(most, int) and most > 0 else None

    def _tokens(self, ids: list[int]) -> tuple[str, ...]:
        return tuple(map(str, self._tokenizer.convert_ids_to_tokens(ids)))

    def _first_decoder_token(self, place: str) -> int:
        generation = getattr(self._model, "generation_config", None)
        for holder in (self._config, generation):
            for name in ("decoder_start_token_id", "bos_token_id"):
                found = getattr(holder, name, None)
                if isinstance(found, int):
                    return found
        raise InputError(f"{place}: config.json names no decoder_start_token_id")


def model_attentions(
    folder: str | os.PathLike[str], texts: Sequence[str]
) -> Iterator[LayerAttention]:
    """Run a model on texts, one after another.

    Parameters
    ----------
    folder : path
        See `LanguageModel`.
    texts : sequence of str
        The texts, one after the other.

    Yields
    ------
    LayerAttention
        Text by text, layer by layer; see `LanguageModel.attentions`.

    Raises
    ------
    InputError
        The packages torch and transformers are missing, the folder holds no complete model, or the
        model cannot be run on a text.

    Examples
    --------
    >>> list(model_attentions("no/such/model", ["Hello"]))
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: no/such/model: there is no such folder; ...
    """
    model = LanguageModel(folder)
    for number, text in enumerate(texts):
        yield from model.attentions(text, number)


_LOCAL: Mapping[str, Any] = {"local_files_only": True, "trust_remote_code": False}


def _require_model_folder(folder: Path) -> None:
    """Refuse places without a model, before heavy packages are imported."""
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such folder; models are read from local folders, as "
            "save_pretrained writes them, and never downloaded"
        )
    if not (folder / "config.json").is_file():
        raise InputError(
            f"{folder}: there is no config.json; name the folder that save_pretrained wrote"
        )


def _head_dimension(config: Any) -> int | None:
    """The dimension of queries and keys, under the names that configurations have for it."""
    for name in ("head_dim", "d_kv"):
        if isinstance(found := getattr(config, name, None), int):
            return found
    hidden, heads = (getattr(config, name, None) for name in ("hidden_size", "num_attention_heads"))
    return hidden // heads if isinstance(hidden, int) and isinstance(heads, int) else None


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """No progress bars and notes of the package's own while a model is read."""
    log = transformers.utils.logging
    verbosity, shows_bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(verbosity)
        if shows_bars:
            log.enable_progress_bar()


_UNSAFE = {
    "trust_remote_code": "it brings code of its own, which is never run",
    "weights_only": "it holds pickled objects, which are never loaded; save it as safetensors",
}
"""Options that errors of transformers and torch advise, and what to say instead."""


def _reason(error: Exception) -> str:
    """Return the reason of an error in one sentence, without advice to run foreign code."""
    text = str(error)
    for option, reason in _UNSAFE.items():
        if option in text:
            return reason
    return text.strip().partition("\n")[0]
