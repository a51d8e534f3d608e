"""Gates: assertions about releases, and the plugin of pytest."""

import subprocess
import sys

import pandas
import pytest

import incrowd
from incrowd import testing

RELEASE = pandas.DataFrame({"age": ["30-39"] * 3 + ["40-49"] * 3, "ill": ["flu", "cold", "flu", "flu", "flu", "cold"]})


def test_assertions():
    testing.assert_k_anonymous(RELEASE, 3, "age")
    testing.assert_l_diverse(RELEASE, 2, "age", sensitive="ill", k=3)
    testing.assert_t_close(RELEASE, 0.1, "age", sensitive="ill")
    testing.assert_risk(RELEASE, "age", highest=0.34, average=0.34, unique=0)
    people = pandas.DataFrame({"age": [31, 32, 33, 41, 42, 43], "ill": RELEASE["ill"]})
    testing.assert_k_anonymous(RELEASE, 3, "age", original=people)
    for check, words in [
        (lambda: testing.assert_k_anonymous(RELEASE, 4, "age"), "not 4-anonymous by age"),
        (lambda: testing.assert_l_diverse(RELEASE, 3, "age", sensitive="ill"), "not 3-diverse"),
        (lambda: testing.assert_l_diverse(RELEASE, "entropy:2", "age", sensitive="ill"), "not entropy:2-diverse"),
        (lambda: testing.assert_t_close(RELEASE.iloc[[0, 2, 5]], 0.1, "age", sensitive="ill"), "not 0.1-close"),
        (lambda: testing.assert_risk(RELEASE, ["age"], highest=0.3, unique=0), "the highest risk is 0.3333, above 0.3"),
        (lambda: testing.assert_risk(RELEASE, ["age", "ill"], unique=0.1), "look like no other is 0.3333"),
        (lambda: testing.assert_k_anonymous(RELEASE, 3, "age", original=people.assign(age=people["age"] + 30)), "not 3-anonymous"),
    ]:
        with pytest.raises(AssertionError, match=words) as error:
            check()
        assert "40-49" not in str(error.value)
    with pytest.raises(TypeError, match="needs a limit"):
        testing.assert_risk(RELEASE, "age")


def run_pytest(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_plugin_verifies_releases_of_specs(tmp_path):
    incrowd.demo(400).to_csv(tmp_path / "people.csv", index=False)
    spec = incrowd.Spec.of("people.csv", k=5, quasi=["age", "sex"], plain=["income"], other="drop")
    text = str(spec) + '\n[release]\noutput = "release.csv"\n'
    (tmp_path / "people.toml").write_text(text)
    incrowd.anonymize(
        tmp_path / "people.csv", k=5, quasi=["age", "sex"], plain=["income"], other="drop", output=tmp_path / "release.csv"
    )
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    code, said = run_pytest(tmp_path, "--incrowd", "people.toml", "-v")
    assert code == 0 and "2 passed" in said and "people.toml" in said, said
    lines = (tmp_path / "release.csv").read_text().splitlines()
    (tmp_path / "release.csv").write_text("\n".join(lines[:3]) + "\n")
    code, said = run_pytest(tmp_path, "--incrowd", "people.toml")
    assert code == 1 and "1 failed, 1 passed" in said and "is not what people.toml asks for" in said, said
    assert "Traceback" not in said
    (tmp_path / "pytest.ini").write_text("[pytest]\nincrowd = people.toml\n")
    assert "1 failed, 1 passed" in run_pytest(tmp_path)[1]
    (tmp_path / "none.toml").write_text(str(spec))
    code, said = run_pytest(tmp_path, "--incrowd", "none.toml", "test_own.py")
    assert code == 1 and "names no release" in said, said
    code, said = run_pytest(tmp_path, "--incrowd", "missing.toml", "test_own.py")
    assert code == 1 and "missing.toml" in said, said
