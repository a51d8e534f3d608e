"""Makes the files of Stata, SAS and SPSS of this folder, with pandas 2 or 3 and pyreadstat 1.2 or later."""
import datetime as dt

import pandas as pd
import pyreadstat

people = pd.DataFrame({
    "name": ["Müller", "Ann", "O'Neil, B."],
    "age": [34.0, 35.0, None],
    "weight": [70.5, 0.1 + 0.2, 81.0],
    "sex": [1, 2, 1],
    "rooms": [1, 2, 9],
    "born": [dt.date(1984, 2, 29), dt.date(1999, 12, 31), dt.date(2001, 1, 1)],
})
labels = {"sex": {1: "male", 2: "female"}, "rooms": {9: "refused"}}

stata = people.copy()
stata["born"] = pd.to_datetime(stata["born"])
stata.to_stata("people.dta", write_index=False, version=118, convert_dates={"born": "td"}, value_labels=labels)
stata["name"] = ["Mueller", "Ann", "O'Neil, B."]
stata.to_stata("old.dta", write_index=False, version=114, convert_dates={"born": "td"}, value_labels=labels)
pyreadstat.write_xport(people.assign(name=stata["name"]), "people.xpt", file_format_version=5, table_name="PEOPLE")
spss = people.assign(
    remark=["", "long " * 120, "short"],
    seen=[dt.datetime(2018, 4, 1, 12, 30), dt.datetime(2018, 4, 2), None],
)
for name, compressed in [("people.sav", False), ("people.zsav", True)]:
    pyreadstat.write_sav(spss, name, compress=compressed, variable_value_labels=labels,
                         missing_ranges={"rooms": [9]})
