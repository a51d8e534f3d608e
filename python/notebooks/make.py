"""Writes the notebook: python make.py. Its cells stand here, so that changes can be read."""

import nbformat

CELLS = [
    ("md", "# From a raw table to a shared release\n\nMade-up people of a census, told as if it were a real table."),
    ("py", "import incrowd\n\npeople = incrowd.demo(5000, seed=1)\npeople.head()"),
    ("md", "## What is in it\n\n`inspect` guesses roles, each with its reason. They are guesses: you decide."),
    ("py", "found = incrowd.inspect(people)\nfound"),
    ("md", "Who stands out by what others may know?"),
    ("py", "quasi = ['age', 'sex', 'race', 'education']\nrisk = incrowd.risk(people, quasi)\nrisk.plot()"),
    (
        "md",
        "## A release\n\nEverybody among at least ten who look alike. What nobody names and singles people out is refused.",
    ),
    (
        "py",
        "named = people.assign(name=[f'person {at}' for at in range(len(people))])\n"
        "try:\n"
        "    incrowd.anonymize(named, k=10, quasi=quasi)\n"
        "except incrowd.RefusedColumns as refused:\n"
        "    print(refused)",
    ),
    (
        "py",
        "result = incrowd.anonymize(people, k=10, quasi=quasi, class_=people.columns[-1], other='drop', seed=1)\nresult",
    ),
    ("py", "result.table.head(10)"),
    ("md", "## Is it what it claims?\n\nThe verifier shares nothing with the engine, and also compares with the original."),
    ("py", "incrowd.verify(result.table, k=10, quasi=quasi, original=people)"),
    ("md", "## What is it good for?"),
    ("py", "measured = incrowd.evaluate(result.table, people, quasi, class_=people.columns[-1])\nmeasured.table"),
    ("md", "## Which k?"),
    (
        "py",
        "board = incrowd.compare(people, k=[5, 10, 25, 50], methods=['mondrian', 'cluster-down', 'datafly'], quasi=quasi,\n"
        "                        other='drop', no_cache=True)\nboard.plot()",
    ),
    ("md", "## Share it\n\nThe report is safe to share where the release is. The recoding is not: it is as confidential as the data."),
    (
        "py",
        "import tempfile, pathlib\n\nfolder = pathlib.Path(tempfile.mkdtemp())\n"
        "result.write(folder / 'release.csv')\nresult.report(folder / 'release.html')\n"
        "result.recoding.save(folder / 'recoding.json')\nsorted(path.name for path in folder.iterdir())",
    ),
    ("md", "Next month's rows, in the same words:"),
    ("py", "more = incrowd.apply(folder / 'recoding.json', incrowd.demo(3000, seed=2), unseen='suppress')\nmore"),
]


def main():
    book = nbformat.v4.new_notebook()
    for at, (kind, text) in enumerate(CELLS):
        cell = nbformat.v4.new_markdown_cell(text) if kind == "md" else nbformat.v4.new_code_cell(text)
        cell["id"] = f"cell-{at}"
        book.cells.append(cell)
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, "release.ipynb")


if __name__ == "__main__":
    main()
