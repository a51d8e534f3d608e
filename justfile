# Routines of the project: `just` lists them. Each is a script or a command that can be run without just.

default:
    @just --list

# All checks, as continuous integration runs them
check:
    .ci/run

# The tests
test:
    cargo test --workspace

# What is quick to tell: format, lints, prose, workflows, dependencies
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    .ci/prose
    .ci/workflows
    .ci/dependencies

# Files that follow from others: reference pages, schema, types
renew:
    UPDATE=1 cargo test --workspace --lib

# The pages of the web application in a browser
page:
    .ci/page

# The Python package
python:
    .ci/python

# The documentation as a book
book:
    .ci/book

# Everything that is shipped, built and tested
ship:
    ship/all

# The page that is opened from disk
html:
    ship/html test

# A release, up to the point where something would be published
release-dry-run:
    ship/release dry-run
