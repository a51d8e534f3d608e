"""Executes notebooks, and fails where a cell does."""

import sys

import nbformat
from nbclient import NotebookClient


def main(paths):
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        print(f"{path}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells ran")


if __name__ == "__main__":
    main(sys.argv[1:])
