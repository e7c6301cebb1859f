"""Networks in bfloat16: numbers of two digits and a half, for which processors that have them need half the time."""

import torch


def half_precision(device: torch.device, wanted: bool = True) -> torch.autocast:
    """A context in which networks on a device compute in bfloat16; as ever if that is not `wanted`, or not fast there.

    Weights, norms and sums stay as they are (Micikevicius et al. 2018, arXiv 1710.03740).
    """
    return torch.autocast(device.type, torch.bfloat16, enabled=wanted and has_bfloat16(device))


def has_bfloat16(device: torch.device) -> bool:
    """Whether a device computes in bfloat16 by itself."""
    if device.type == "cpu":
        return any(getattr(torch.cpu, name, bool)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
