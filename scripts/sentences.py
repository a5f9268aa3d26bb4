"""Checks sentences that the last commit and the working tree touch: documents, and texts of the command line.

A sentence has at most 35 words and does not begin with Of, What or Where (CONTRIBUTING.md, Words). Tables, code and
headings are left out.
"""

import re
import subprocess
import sys
from pathlib import Path

MOST_WORDS = 35
FORBIDDEN = ("Of", "What", "Where")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs")
TEXTS = ("cli",)


def added_lines(folders):
    """Numbers of lines that were added, by file, since the commit before the last."""
    base = subprocess.run(["git", "rev-parse", "-q", "--verify", "HEAD~1"], capture_output=True, text=True).stdout.strip()
    diff = subprocess.run(["git", "diff", "--unified=0", *([base] if base else []), "--", *folders],
                          capture_output=True, text=True, check=True).stdout
    lines, file = {}, ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            file = line[6:] if line.startswith("+++ b/") else ""
        span = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if span and file:
            first, count = int(span[1]), int(span[2] or 1)
            lines.setdefault(file, set()).update(range(first, first + count))
    return lines


def paragraphs(text):
    """Prose of a document: lines with their numbers, paragraph by paragraph."""
    found, is_code, is_comment = [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        is_fence = line.lstrip().startswith("```")
        is_code ^= is_fence
        is_comment = is_comment or line.startswith("<!--")
        is_prose = not (is_code or is_fence or is_comment or re.match(r"\s*$|#|\||    |!\[", line))
        if "-->" in line:
            is_comment = False
        if is_prose and found and found[-1] and not re.match(r"\s*([-*]|\d+\.) ", line):
            found[-1].append((number, line))
        else:
            found.append([(number, line)] if is_prose else [])
    return [one for one in found if one]


def plain(text):
    """Without marks: a span of code is a word, a link its text."""
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"^\s*([-*]|\d+\.) |[*_]", "", text)


def sentences(lines):
    """Each with the numbers of its lines."""
    text, numbers = "", []
    for number, line in lines:
        words = plain(line).strip() + " "
        text += words
        numbers += [number] * len(words)
    at = 0
    for end in [*(match.end() for match in re.finditer(r"[.!?](?=\s+[A-Z*`])", text)), len(text)]:
        yield text[at:end].strip(), set(numbers[at:end])
        at = end


def faults(sentence):
    words = sentence.split()
    if len(words) > MOST_WORDS:
        yield f"{len(words)} words, at most {MOST_WORDS}"
    if words and words[0] in FORBIDDEN:
        yield f"begins with {words[0]}"


def main():
    failed = False
    for file, lines in added_lines(DOCUMENTS).items():
        path = Path(file)
        if path.suffix != ".md" or not path.exists():
            continue
        for paragraph in paragraphs(path.read_text(encoding="utf-8")):
            for sentence, numbers in sentences(paragraph):
                for fault in faults(sentence) if numbers & lines else ():
                    print(f"{file}:{min(numbers)}: {fault}: {sentence[:60]}...")
                    failed = True
    for file, lines in added_lines(TEXTS).items():
        texts = Path(file).read_text(encoding="utf-8").splitlines() if Path(file).exists() else []
        for number in sorted(lines):
            if number <= len(texts) and re.search(r'^[^/#]*"(Of|What|Where) ', texts[number - 1]):
                print(f"{file}:{number}: a text begins with Of, What or Where")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
