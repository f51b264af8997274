"""The baseline: the paper's LSTM without attention in eager PyTorch, an update at a time on one thread.

`tutorial` calls nn.LSTM a token at a time, as the tutorials of 2017 did; `tuned` calls it on whole sequences where the
protocol allows (the encoder, and the decoder when it is teacher-forced) and uses the fused Adam. Both train by the
paper's protocol, on the examples they are given. Needs torch (pip install torch); nothing else does.
"""

import random
import time
from collections.abc import Sequence

import torch
from torch import nn

SOS, EOS = 0, 1
Example = tuple[Sequence[str], Sequence[str]]  # a command's words, its actions


class Seq2Seq(nn.Module):
    """Encoder and decoder of one shape, embeddings as wide as the hidden layers, dropout where the paper has it."""

    def __init__(self, words: int, actions: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        inner = dropout if layers > 1 else 0.0
        self.words, self.actions = nn.Embedding(words, hidden), nn.Embedding(actions, hidden)
        self.encoder = nn.LSTM(hidden, hidden, layers, dropout=inner)
        self.decoder = nn.LSTM(hidden, hidden, layers, dropout=inner)
        self.output, self.dropout = nn.Linear(hidden, actions), nn.Dropout(dropout)


def tutorial_loss(net: Seq2Seq, command: torch.Tensor, target: torch.Tensor, forced: bool) -> torch.Tensor:
    state = None
    for word in command:
        _, state = net.encoder(net.dropout(net.words(word)).view(1, 1, -1), state)
    fed, loss = torch.tensor(SOS), torch.zeros(())
    for right in target:
        features, state = net.decoder(net.dropout(net.actions(fed)).view(1, 1, -1), state)
        logits = net.output(features[0])
        loss = loss + nn.functional.cross_entropy(logits, right.view(1))
        fed = right if forced else logits.argmax().detach()
        if not forced and fed.item() == EOS:
            break
    return loss


def tuned_loss(net: Seq2Seq, command: torch.Tensor, target: torch.Tensor, forced: bool) -> torch.Tensor:
    _, state = net.encoder(net.dropout(net.words(command)).unsqueeze(1))
    if forced:
        fed = torch.cat([torch.tensor([SOS]), target[:-1]])
        features, _ = net.decoder(net.dropout(net.actions(fed)).unsqueeze(1), state)
        return nn.functional.cross_entropy(net.output(features[:, 0]), target, reduction="sum")
    fed, steps = torch.tensor([SOS]), []
    for _ in range(len(target)):
        features, state = net.decoder(net.dropout(net.actions(fed)).unsqueeze(1), state)
        steps.append(net.output(features[0]))
        fed = steps[-1].argmax(dim=-1)
        if fed.item() == EOS:
            break
    return nn.functional.cross_entropy(torch.cat(steps), target[: len(steps)], reduction="sum")


LOSSES = {"tutorial": tutorial_loss, "tuned": tuned_loss}


def seconds_per_update(
    style: str, examples: Sequence[Example], *, hidden: int, layers: int, dropout: float, device: str = "cpu"
) -> float:
    """Trains on the examples, one an update, after a tenth of them to warm up."""
    torch.set_num_threads(1)
    torch.set_default_device(device)
    torch.manual_seed(0)
    coin = random.Random(0)
    numbers = [{s: n for n, s in enumerate(["<SOS>", "<EOS>", *sorted({s for e in examples for s in e[side]})])}
               for side in (0, 1)]  # fmt: skip
    tensors = [tuple(torch.tensor([*(number[s] for s in side), EOS]) for number, side in zip(numbers, e, strict=True))
               for e in examples]  # fmt: skip
    net = Seq2Seq(len(numbers[0]), len(numbers[1]), hidden, layers, dropout)
    adam = torch.optim.Adam(net.parameters(), lr=1e-3, fused=style == "tuned")
    warm = len(tensors) // 10
    for n, (command, target) in enumerate(tensors):
        if n == warm:
            start = time.perf_counter()
        adam.zero_grad()
        LOSSES[style](net, command, target, coin.random() < 0.5).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        adam.step()
    if device != "cpu":
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / (len(tensors) - warm)


if __name__ == "__main__":
    import sys

    from daxlab import split

    some = random.Random(0).choices(split("simple").train, k=int(sys.argv[1]) if len(sys.argv) > 1 else 300)
    pairs = [(e.command.split(), e.actions) for e in some]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for style in LOSSES:
        took = seconds_per_update(style, pairs, hidden=200, layers=2, dropout=0.5, device=device)
        print(f"{style}: {1000 * took:.2f} ms an update on {device}")
