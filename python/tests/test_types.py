"""Types: what is declared of options and results is so, and a type checker finds a user's mistakes by it."""

import inspect
import json
import re
import subprocess
import sys
import tempfile
import types
import typing
from pathlib import Path

import pytest

import incrowd
from incrowd import _facts, _options, _signatures

pytestmark = pytest.mark.filterwarnings("ignore::incrowd.ColumnsLeftOutWarning")

PROGRAM = '''\
"""What somebody writes who has their programs checked."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import incrowd


def release(people: Any, folder: Path) -> incrowd.Result:
    result = incrowd.anonymize(
        people,
        k=5,
        quasi=["age", "sex"],
        sensitive="income",
        models=[incrowd.LDiversity(2)],
        kind="local",
        bins={"age": 5},
        max_suppressed="2%",
        time_limit=datetime.timedelta(seconds=60),
        output=folder / "release.csv",
    )
    cost: float | None = result.cost
    left: list[str] = result.left_out
    print(result.outcome == "optimal", cost, left, result.metrics["ncp"], result.trace)
    return result


def check(result: incrowd.Result, people: Any) -> bool:
    verdict = incrowd.verify(result.table, k=5, quasi=["age"], original=people, l_diversity="2")
    risk = incrowd.risk(result.table, ["age", "sex"], unit="row", sampling_fraction=0.1)
    found = incrowd.attack(result.table, people, known=["age"], decimal=".")
    lost = incrowd.evaluate(result.table, people, ["age", "sex"], hierarchy={"age": "prefix"})
    counts = incrowd.queries(result.table, people, "age", queries=50)
    board = incrowd.compare(people, k=[5, 10], quasi="age", methods="mondrian", max_suppressed=10)
    answers = incrowd.frontier(people, k=[5, 10], quasi="age", kinds=["local", "global"], prove=True)
    again = result.recoding.apply(people, unseen="suppress", earlier="release.csv")
    columns: list[str] = incrowd.Spec.of("people.csv", k=5, quasi="age", weight={"age": 2.0}).quasi
    print(lost.metrics, counts.errors["median"], board.csv, [answer["cost"] for answer in answers], again.k, columns)
    return verdict.holds and not verdict.violations and risk.unique_share < 0.1 and not found.found
'''

#: What is changed in the program, where mypy finds the mistake, and what it says.
MISTAKES = [
    (
        'kind="local"',
        'kind="locl"',
        19,
        "Argument \"kind\" to \"anonymize\" has incompatible type \"Literal['locl']\"; "
        "expected \"Literal['local', 'global', 'levels', 'cells', 'mixed']\"  [arg-type]",
    ),
    (
        'max_suppressed="2%"',
        'max_supressed="2%"',
        13,
        'Unexpected keyword argument "max_supressed" for "anonymize"; did you mean "max_suppressed"?  [call-arg]',
    ),
    (
        'bins={"age": 5}',
        "bins=5",
        20,
        'Argument "bins" to "anonymize" has incompatible type "int"; '
        'expected "Mapping[str, float | str | Sequence[float] | Mapping[str, float]]"  [arg-type]',
    ),
    (
        'unseen="suppress"',
        'unseen="supress"',
        39,
        "Argument \"unseen\" to \"apply\" of \"Recoding\" has incompatible type \"Literal['supress']\"; "
        "expected \"Literal['refuse', 'suppress']\"  [arg-type]",
    ),
    (
        'weight={"age": 2.0}',
        'wieght={"age": 2.0}',
        40,
        'Unexpected keyword argument "wieght" for "of" of "Spec"; did you mean "weight"?  [call-arg]',
    ),
    ('unit="row"', "k=5", 33, 'Unexpected keyword argument "k" for "risk"  [call-arg]'),
    ("= result.cost", "= result.costs", 25, '"Result[Any]" has no attribute "costs"; maybe "cost"?  [attr-defined]'),
    (
        "cost: float | None",
        "cost: str | None",
        25,
        'Incompatible types in assignment (expression has type "float | None", variable has type "str | None")  [assignment]',
    ),
    (
        'result.outcome == "optimal"',
        'result.outcome == "optimum"',
        27,
        "Non-overlapping equality check (left operand type: \"Literal['optimal', 'feasible', 'stopped', 'infeasible', "
        "'refused']\", right operand type: \"Literal['optimum']\")  [comparison-overlap]",
    ),
    ("verdict.holds", "verdict.hold", 42, '"Verdict" has no attribute "hold"; maybe "holds"?  [attr-defined]'),
    (
        "risk.unique_share",
        "risk.uniqe_share",
        42,
        '"RiskResult" has no attribute "uniqe_share"; maybe "unique_share"?  [attr-defined]',
    ),
    ("found.found", "found.prosecutor", 42, '"AttackResult" has no attribute "prosecutor"  [attr-defined]'),
    ("counts.errors", "counts.metrics", 41, '"QueryEvaluation" has no attribute "metrics"  [attr-defined]'),
    ("}).quasi", "}).quazi", 40, '"Spec" has no attribute "quazi"; maybe "quasi"?  [attr-defined]'),
]


@pytest.fixture(scope="module")
def mistakes_in(tmp_path_factory):
    """What mypy, as strict as it can be, says of a program."""
    folder = tmp_path_factory.mktemp("typed")

    def check(program):
        # Each has a name of its own: mypy takes a file of the same size and second to be the one that it knows.
        name = f"program{len(list(folder.glob('*.py')))}.py"
        (folder / name).write_text(program)
        command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        lines = [line for line in done.stdout.splitlines() if ": note: " not in line]
        assert bool(lines) == bool(done.returncode), done.stdout
        return [line.removeprefix(f"{name}:") for line in lines]

    return check


def test_a_program_without_mistakes_passes(mistakes_in):
    assert mistakes_in(PROGRAM) == []


@pytest.mark.parametrize("right, wrong, line, told", MISTAKES, ids=[wrong for _, wrong, *_ in MISTAKES])
def test_a_mistake_is_found_where_it_is(mistakes_in, right, wrong, line, told):
    assert PROGRAM.count(right) == 1
    assert mistakes_in(PROGRAM.replace(right, wrong)) == [f"{line}: error: {told}"]


FRAMES = '''\
from __future__ import annotations

import incrowd


class Frame:
    height: int


def of(frame: Frame, spec: incrowd.Spec, saved: incrowd.Recoding) -> int:
    heights = incrowd.anonymize(frame, k=5, quasi="age").table.height + spec.run(frame).table.height
    heights += saved.apply(frame).table.height + incrowd.apply(saved, frame).table.height
    print(incrowd.anonymize("people.csv", k=5, quasi="age").table.num_rows)
    result: incrowd.Result[Frame] = incrowd.anonymize(frame, k=5, quasi="age")
    width: int = incrowd.anonymize(frame, k=5).table.width
    return heights + width
'''


def test_a_frame_comes_back_as_the_same_kind(mistakes_in):
    assert mistakes_in(FRAMES) == ['15: error: "Frame" has no attribute "width"  [attr-defined]']


def test_pyright_finds_the_same(tmp_path):
    """Every program once, in one run: the other checker that people use."""
    pytest.importorskip("pyright")
    programs = [PROGRAM, *(PROGRAM.replace(right, wrong) for right, wrong, *_ in MISTAKES), FRAMES]
    for number, program in enumerate(programs):
        (tmp_path / f"p{number}.py").write_text(program)
    # mypy --strict compares literals; pyright does if it is asked to.
    (tmp_path / "pyrightconfig.json").write_text('{"reportUnnecessaryComparison": "error"}')
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    found = {}
    for one in json.loads(done.stdout)["generalDiagnostics"]:
        if one["severity"] == "error":
            number = int(re.search(r"p(\d+)\.py", one["file"])[1])
            found.setdefault(number, set()).add(one["range"]["start"]["line"] + 1)
    # The line of a call, or that of the argument in it.
    wrong = [found.get(number, set()) for number in range(len(programs))]
    assert wrong[0] == set(), wrong[0]
    assert all(len(lines) == 1 for lines in wrong[1:]), wrong
    assert wrong[-1] == {15}


def fits(value, kind):
    """Whether a value has a type, as far as results need it."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any or isinstance(kind, typing.TypeVar):
        return True
    if kind is None or kind is type(None):
        return value is None
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in arguments)
    if origin is typing.Literal:
        return value in arguments
    if origin is list:
        return isinstance(value, list) and all(fits(one, arguments[0]) for one in value)
    if origin is dict:
        key, of = arguments
        return isinstance(value, dict) and all(fits(name, key) and fits(one, of) for name, one in value.items())
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


def test_the_checker_itself():
    right = [(1, float), (None, float | None), ([], list[str]), ({"a": 1}, dict[str, float]), ("a", typing.Literal["a"])]
    wrong = [(True, int), ("1", float), (None, list[str]), ([1], list[str]), ({"a": "b"}, dict[str, float]), ("b", typing.Literal["a"])]
    assert all(fits(value, kind) for value, kind in right)
    assert not any(fits(value, kind) for value, kind in wrong)


def declared(of):
    """The attributes that a class declares, with their types: annotations and properties."""
    from incrowd.spec import Spec

    known = vars(_options) | vars(_signatures) | {"Spec": Spec}
    found = {}
    for name, kind in typing.get_type_hints(of, localns=known).items():
        if not name.startswith("_"):
            found[name] = kind
    for name, value in inspect.getmembers(of):
        if isinstance(value, property) and not name.startswith("_"):
            found[name] = typing.get_type_hints(value.fget, localns=known)["return"]
    return found


@pytest.fixture(scope="module")
def results():
    """What every function returns, for as many kinds of calls as it has optional facts."""
    people = incrowd.demo(300, seed=3)
    people["visit"] = [f"v{at // 2}" for at in range(len(people))]
    people["town"] = people["age"] % 3
    quasi = ["age", "sex"]
    ask = {"quasi": quasi, "other": "drop", "seed": 1}
    plain = incrowd.anonymize(people, k=3, method="mondrian", **ask)
    full = incrowd.anonymize(
        people, k=3, quasi=quasi, sensitive="income", l_diversity=2, unit="visit", linked=True, narrowing="town", plain="town",
        audience="public", knowledge="sample", harm="low", max_average_risk=0.5, method="mondrian", seed=1,
    )
    guessed = incrowd.anonymize(people, k=3, roles="guess", treat={"visit": "pseudonym"}, method="mondrian", seed=1)
    none = incrowd.anonymize(people, k=50, sensitive="income", l_diversity=50, max_suppressed=0, **ask)
    levels = incrowd.anonymize(people, k=3, kind="levels", hierarchy={"sex": {"Male": "*", "Female": "*"}}, **ask)
    cells = incrowd.anonymize(people, k=3, kind="cells", population=people, **ask)
    nodes = incrowd.anonymize(people, k=3, kind="local", hierarchy={"sex": {"Male": "*", "Female": "*"}}, **ask)
    followed = incrowd.anonymize(
        people.assign(born=1990 - people["age"]), k=3, follows={"born": "age"}, accept="income", plain="income",
        max_population_unique=0.5, k_map=people, **ask,
    )
    again = plain.recoding.apply(people)
    release = full.table
    runs = [plain, full, guessed, none, levels, cells, nodes, followed, again]
    verdicts = [
        incrowd.verify(release, k=3, quasi=quasi),
        incrowd.verify(release, k=900, quasi=quasi, original=people, sensitive="income", l_diversity=2, max_average_risk=0.01),
        incrowd.verify(people, k=3, quasi=quasi, unit="visit"),
        *(run.verdict for run in runs if run),
    ]
    risks = [
        incrowd.risk(people, quasi),
        incrowd.risk(people, quasi, population=people),
        incrowd.risk(people, quasi, population_size=1000),
        incrowd.risk(people.assign(w=4.0), quasi, weight_column="w"),
        incrowd.risk(release[[*quasi]], quasi, control=people.tail(50)),
    ]
    with tempfile.TemporaryDirectory() as folder:
        table, proof, written = (Path(folder, name) for name in ("people.csv", "proof", "release.csv"))
        people.to_csv(table, index=False)
        incrowd.anonymize(
            str(table), k=3, method="optimal", metric="dm", certificate=proof, output=written, **ask
        )
        checked = [incrowd.check(table, proof), incrowd.check(table, proof, written)]
    return {
        incrowd.Result: runs,
        incrowd.Verdict: verdicts,
        incrowd.Inspection: [incrowd.inspect(people), incrowd.inspect(people[["income"]])],
        incrowd.RiskResult: risks,
        incrowd.CheckedCertificate: checked,
        incrowd.AttackResult: [
            incrowd.attack(release, people, attempts=20),
            incrowd.attack(release, people, attempts=20, known="age", secret="income", control=people.tail(50)),
        ],
        incrowd.Evaluation: [
            incrowd.evaluate(release, people, quasi),
            incrowd.evaluate(release, people, quasi, class_="income"),
            incrowd.evaluate(release, people, quasi, all=False),
            incrowd.statistics(release, people, quasi),
        ],
        incrowd.LearningEvaluation: [incrowd.learning(release, people, people.head(300), quasi, "income", trees=5)],
        incrowd.QueryEvaluation: [incrowd.queries(release, people, quasi, queries=20)],
        incrowd.ClassificationEvaluation: [
            incrowd.classification(release, quasi, "income", folds=2),
            incrowd.classification(release, quasi, "income", folds=2, original=people, test=people),
        ],
        incrowd.Comparison: [
            incrowd.compare(people, k=[3, 5], methods=["mondrian", "optimal"], quasi=quasi, other="drop", no_cache=True, time_limit=5)
        ],
        incrowd.FrontierResult: [incrowd.frontier(people, k=[3, 5], quasi=quasi, other="drop", time_limit=5)],
        incrowd.Spec: [plain.spec, full.spec, incrowd.Spec.of("people.csv", k=3, quasi="age", class_="income")],
    }


CLASSES = [
    value for value in vars(incrowd).values() if inspect.isclass(value) and issubclass(value, (_facts.Facts, incrowd.Spec))
]


@pytest.mark.parametrize("of", CLASSES, ids=lambda of: of.__name__)
def test_what_is_declared_is_there(results, of):
    declarations = declared(of)
    assert len(declarations) > 3 and results[of]
    wrong = []
    for result in results[of]:
        assert type(result) is of
        for name, kind in declarations.items():
            # There is no table or recoding of a run that made none.
            if name in ("table", "arrow", "recoding") and of is incrowd.Result and not result:
                continue
            value = getattr(result, name)
            if not fits(value, kind):
                wrong.append(f"{name}: {kind} is {value!r}")
    assert not wrong


@pytest.mark.parametrize("of", CLASSES, ids=lambda of: of.__name__)
def test_every_fact_is_declared(results, of):
    names = {name for result in results[of] for name in result.facts}
    # `report` is a method; a word of the language itself has a dash behind it.
    missing = {name for name in names if name not in declared(of) and f"{name}_" not in declared(of)}
    assert missing <= {"report"} and all(hasattr(of, name) for name in missing)


def test_optional_facts_are_really_optional(results):
    """What is said to be told only sometimes is so, and else its attribute has the declared type."""
    for of in CLASSES:
        for name, default in getattr(of, "_unless_told", {}).items():
            there = [name in result.facts for result in results[of]]
            assert not all(there), f"{of.__name__}.{name} is always there"
            assert any(there), f"{of.__name__}.{name} is never there: make a call above that has it"
            assert fits(default(), declared(of)[name])


def test_a_misspelt_attribute_is_none(results):
    for of in CLASSES:
        with pytest.raises(AttributeError):
            results[of][0].nonsense  # noqa: B018 - the attribute is not there


def test_no_function_takes_anything(keywords_of):
    """Every function says by name what it takes."""
    functions = [value for value in vars(incrowd).values() if inspect.isfunction(value)]
    functions += [incrowd.spark.anonymize, incrowd.spark.apply, incrowd.spark.inspect, incrowd.spark.risk]
    functions += [incrowd.spark.verify, incrowd.testing.assert_k_anonymous]
    functions += [incrowd.Spec.of, incrowd.Spec.replace, incrowd.Spec.run, incrowd.Recoding.apply]
    assert len(functions) > 20
    for function in functions:
        keywords_of(function)


def test_every_keyword_of_the_library_has_a_type(keywords_of):
    known = set(incrowd._incrowd.keywords())
    for function in (incrowd.anonymize, incrowd.Spec.of, incrowd.Spec.run):
        assert known <= {name.rstrip("_") for name in keywords_of(function)}, function


def test_an_option_has_one_type():
    """Groups that name a single option of another group agree with it."""
    whole = typing.get_type_hints(_signatures.SpecOptions)
    groups = [value for name, value in vars(_signatures).items() if name.endswith("Options")]
    assert len(groups) > 15 and _signatures.Kind == whole["kind"]
    spelled_out_by_functions = {"population", "k_map"}
    for group in groups:
        for name, kind in typing.get_type_hints(group).items():
            if name in whole and name not in spelled_out_by_functions:
                assert kind == whole[name], f"{group.__name__}.{name}"


def test_functions_that_pass_options_on_know_the_same(keywords_of):
    assert set(keywords_of(incrowd.apply)) - {"recoding"} == set(keywords_of(incrowd.Recoding.apply)) - {"self"}
    assert set(keywords_of(incrowd.Spec.run)) - {"self"} == set(keywords_of(incrowd.anonymize)) - {"spec"}
    assert set(keywords_of(incrowd.testing.assert_k_anonymous)) == set(keywords_of(incrowd.verify))


def test_types_cost_nothing_at_run_time():
    program = "import sys, incrowd; assert not {'typing_extensions', 'incrowd._signatures'} & set(sys.modules)"
    subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path = {sys.path!r}; {program}"], check=True)
