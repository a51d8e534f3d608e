"""Makes the workbooks of this folder, with openpyxl 3.1, xlwt 1.3 and odfpy 1.4.

They come from other programs than the one that reads them, so that a misunderstanding shows.
"""
import datetime as dt

import openpyxl
import xlwt
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

HEADER = ["name", "age", "weight", "born", "seen", "smoker", "zip"]
ROWS = [
    ["Müller", 34, 70.5, dt.date(1984, 2, 29), dt.datetime(2018, 4, 1, 12, 30), True, "02138"],
    ["Ann", 35.0, 0.1 + 0.2, dt.date(1999, 12, 31), dt.datetime(2018, 4, 2), False, "02139"],
    ["a, \"b\"", None, 81, dt.date(2001, 1, 1), dt.datetime(2018, 4, 3, 0, 0, 1), True, "02140"],
]


def xlsx():
    book = openpyxl.Workbook()
    book.active.title = "Cover"
    sheet = book.create_sheet("People")
    # The table stands neither at the top nor at the left.
    for column, name in enumerate(HEADER, 2):
        sheet.cell(3, column, name)
    for row, values in enumerate(ROWS, 4):
        for column, value in enumerate(values, 2):
            sheet.cell(row, column, value)
    sheet.cell(5, 9, "outcome")
    sheet.cell(3, 9, "outcome")
    sheet.cell(4, 9, "=1/0")
    sheet.cell(5, 9, "#N/A")
    sheet.cell(6, 9, "ok")
    sheet.cell(12, 3).font = openpyxl.styles.Font(bold=True)
    book.create_sheet("Codes").append(["code", "meaning"])
    book["Codes"].append([1, "yes"])
    book.save("people.xlsx")

    book = openpyxl.Workbook()
    book.active.append(["person", None, "place"])
    book.active.append(["age", "sex", "zip"])
    book.active.append([34, "f", "02138"])
    book.active.merge_cells("A1:B1")
    book.save("merged.xlsx")

    book = openpyxl.Workbook()
    book.active.append(["Survey of 2019"])
    book.active.append([])
    book.active.append(["age", "sex"])
    book.active.append([34, "f"])
    book.save("titled.xlsx")


def xls():
    book = xlwt.Workbook()
    sheet = book.add_sheet("People")
    date, time = xlwt.easyxf(num_format_str="DD.MM.YYYY"), xlwt.easyxf(num_format_str="DD.MM.YYYY HH:MM:SS")
    for column, name in enumerate(HEADER):
        sheet.write(0, column, name)
    for row, values in enumerate(ROWS, 1):
        for column, value in enumerate(values):
            if isinstance(value, dt.datetime):
                sheet.write(row, column, value, time)
            elif isinstance(value, dt.date):
                sheet.write(row, column, value, date)
            elif value is not None:
                sheet.write(row, column, value)
    book.save("people.xls")


def ods():
    book = OpenDocumentSpreadsheet()
    table = Table(name="People")

    def cell(value):
        if value is None:
            return TableCell()
        if isinstance(value, bool):
            return TableCell(valuetype="boolean", booleanvalue=str(value).lower())
        if isinstance(value, (int, float)):
            return TableCell(valuetype="float", value=str(value))
        if isinstance(value, dt.datetime):
            return TableCell(valuetype="date", datevalue=value.isoformat())
        if isinstance(value, dt.date):
            return TableCell(valuetype="date", datevalue=value.isoformat())
        text = TableCell(valuetype="string")
        text.addElement(P(text=value))
        return text

    for values in [HEADER] + ROWS:
        row = TableRow()
        for value in values:
            row.addElement(cell(value))
        table.addElement(row)
    book.spreadsheet.addElement(table)
    book.save("people.ods")


xlsx()
xls()
ods()
