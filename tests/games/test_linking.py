"""Functions that kernels call: linked into them, with what they raise, and compiled once Python calls them."""

import subprocess
import sys

import numpy as np
import pytest

from games.engine.jit import njit
from games.engine.linking import LinkedLibrary

RAISING = """
import numpy as np
from games.engine.jit import njit

@njit
def checked(number):
    if number < 0:
        raise ValueError("below zero")
    return number + 1

@njit
def twice(number):
    return checked(checked(number))

@njit(cache=True)
def kernel(numbers):
    total = 0
    for number in numbers:
        total += twice(number)
    return total

if __name__ == "__main__":
    import raising
    print(raising.kernel(np.arange(3)), len(raising.checked.signatures))
    try:
        raising.kernel(np.array([1, -5]))
    except ValueError as error:
        print(error)
"""


def is_linked(function, place=0):
    return isinstance(list(function.overloads.values())[place].library, LinkedLibrary)


def test_what_a_kernel_calls_is_compiled_for_itself_when_python_calls_it():
    @njit
    def inner(number):
        return 3 * number

    @njit
    def outer(number):
        return inner(number) + 1

    @njit
    def other(number):
        return inner(number) - 1

    assert outer(2) == 7
    assert is_linked(inner)
    assert not is_linked(outer)
    assert inner(2) == 6
    assert not is_linked(inner)
    assert other(2) == 5
    assert inner.signatures == outer.signatures == other.signatures == [(inner.signatures[0][0],)]


def test_nothing_in_a_kernel_is_open_to_others_or_known_to_them_by_name():
    """What a kernel has made of a function may lack an argument, and the machine code of all kernels shares names."""

    @njit
    def leaves(number):  # calls itself, so it cannot be inlined
        return 1 if number < 2 else leaves(number - 1) + leaves(number - 2)

    @njit
    def outer(number):
        return leaves(number) + 1

    assert outer(5) == 9
    [inside], [compiled] = leaves.overloads.values(), outer.overloads.values()
    code = compiled.library.get_llvm_str()
    assert f"@{inside.fndesc.mangled_name}(" in code
    assert "define private" in code
    assert "linkonce_odr" not in code
    assert inside.fndesc.mangled_name.encode() not in compiled.library._get_compiled_object()


def test_one_of_several_signatures_may_be_linked():
    @njit
    def inner(number):
        return number + number

    @njit
    def outer(number):
        return inner(number)

    assert inner(1) == 2
    assert outer(0.5) == 1.0
    assert [is_linked(inner, place) for place in range(2)] == [False, True]
    assert inner(0.25) == 0.5
    assert inner(2) == 4


def test_what_is_kept_on_disk_is_compiled_for_itself(monkeypatch, tmp_path):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))

    @njit(cache=True)
    def kept(number):
        return number + 1

    @njit
    def outer(number):
        return kept(number)

    assert outer(1) == 2
    assert not is_linked(kept)


def test_errors_of_two_kernels_come_from_one_function():
    @njit
    def inner(number):
        if number < 0:
            raise ValueError("below zero", 7)
        return number

    kernels = [njit(lambda numbers: inner(numbers[0])), njit(lambda numbers: inner(numbers[-1]) + 1)]
    numbers = np.array([-1, 4])
    with pytest.raises(ValueError, match="below zero"):
        kernels[0](numbers)
    assert kernels[1](numbers) == 5
    with pytest.raises(ValueError, match="below zero"):
        kernels[1](numbers[::-1].copy())
    with pytest.raises(ValueError, match="below zero"):
        inner(-1)


@pytest.mark.full
def test_a_kernel_that_is_loaded_raises_what_it_would(tmp_path, monkeypatch):
    (tmp_path / "raising.py").write_text(RAISING)
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    for compiled in (1, 0):  # signatures of `checked`: none where the kernel is loaded
        done = subprocess.run([sys.executable, "raising.py"], cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout.splitlines() == [f"9 {compiled}", "below zero"], done.stderr
