"""Decision notes are numbered one after the other, and say their number."""

from pathlib import Path

NOTES = Path(__file__).parents[2] / "docs" / "decisions"


def test_each_number_is_given_once_and_none_is_left_out() -> None:
    notes = sorted(path for path in NOTES.glob("*.md") if path.name != "README.md")
    numbers = [path.name[:4] for path in notes]

    assert numbers == [f"{number:04d}" for number in range(1, len(notes) + 1)]
    assert [path.read_text(encoding="utf-8").split()[1].rstrip(".") for path in notes] == numbers
