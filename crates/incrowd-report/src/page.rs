//! Pages: one HTML file each, with everything in it.

use std::fmt::{self, Write};

use crate::chart::{STYLE, escape};

/// How pages look: as wide as reads well, light or dark as the reader likes, and on paper.
const PAGE_STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--edge:#d8dee4;--paper:#fff;--tint:#f6f8fa;--good:#1a7f37;--warn:#9a6700}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--edge:#30363d;--paper:#0d1117;--tint:#161b22;--good:#3fb950;--warn:#d29922}}
*{box-sizing:border-box}body{margin:0 auto;max-width:720px;padding:24px 16px 64px;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:32px 0 8px;padding-bottom:4px;border-bottom:1px solid var(--edge)}
p{margin:8px 0}.soft{color:var(--soft)}.headline{font-size:17px;border-left:4px solid var(--good);padding:4px 12px;background:var(--tint)}
.headline.unmet{border-color:var(--warn)}
table{border-collapse:collapse;width:100%;margin:8px 0}th,td{text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid var(--edge);vertical-align:top}
th{font-weight:600;overflow-wrap:anywhere;min-width:7em}td{overflow-wrap:anywhere}td.number,th.number{overflow-wrap:normal;min-width:0}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
pre{background:var(--tint);border:1px solid var(--edge);border-radius:6px;padding:12px;overflow-x:auto;white-space:pre-wrap;word-break:break-word;font-size:13px}
.warning{border-left:4px solid var(--warn);padding:4px 12px;background:var(--tint)}
.wide{overflow-x:auto}.wide table{font-size:13px}.wide .number{padding:4px 0 4px 10px}svg{max-width:100%;height:auto;display:block;margin:12px 0}.pair{display:flex;flex-wrap:wrap;gap:16px}.pair>*{flex:1 1 300px;min-width:0}
@media print{body{max-width:none;padding:0;font-size:11pt}h2{break-after:avoid}svg,table,.pair>*{break-inside:avoid}:root{--ink:#000;--soft:#333;--paper:#fff;--tint:#fff}}
";

/// A page that is being written.
#[derive(Debug)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// An empty page; the title is its heading too.
    pub fn new(title: &str) -> Self {
        let mut page = Page { title: title.to_owned(), body: String::new() };
        page.put(format_args!("<h1>{}</h1>", escape(title)));
        page
    }

    fn put(&mut self, html: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{html}");
    }

    /// A heading.
    pub fn heading(&mut self, text: &str) {
        self.put(format_args!("<h2>{}</h2>", escape(text)));
    }

    /// A paragraph; `class` may be empty, `soft`, `headline` or `warning`.
    pub fn paragraph(&mut self, class: &str, text: &str) {
        self.put(format_args!("<p class=\"{class}\">{}</p>", escape(text)));
    }

    /// Names and what they are.
    pub fn facts<N: AsRef<str>, V: AsRef<str>>(&mut self, facts: &[(N, V)]) {
        self.put(format_args!("<table>"));
        for (name, value) in facts {
            let (name, value) = (escape(name.as_ref()), escape(value.as_ref()));
            self.put(format_args!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"));
        }
        self.put(format_args!("</table>"));
    }

    /// A table; all columns but the first hold numbers.
    pub fn table(&mut self, header: &[&str], rows: &[Vec<String>]) {
        self.put(format_args!("<div class=\"wide\"><table><thead><tr>"));
        let class = |at: usize| if at == 0 { "" } else { " class=\"number\"" };
        for (at, name) in header.iter().enumerate() {
            self.put(format_args!("<th scope=\"col\"{}>{}</th>", class(at), escape(name)));
        }
        self.put(format_args!("</tr></thead><tbody>"));
        for row in rows {
            self.put(format_args!("<tr>"));
            for (at, field) in row.iter().enumerate() {
                self.put(format_args!("<td{}>{}</td>", class(at), escape(field)));
            }
            self.put(format_args!("</tr>"));
        }
        self.put(format_args!("</tbody></table></div>"));
    }

    /// A chart.
    pub fn chart(&mut self, svg: &str) {
        self.body.push_str(svg);
    }

    /// HTML that was made of text that is escaped.
    pub(crate) fn html(&mut self, html: &str) {
        self.body.push_str(html);
    }

    /// Charts side by side where there is room.
    pub fn charts(&mut self, charts: &[String]) {
        self.put(format_args!("<div class=\"pair\">"));
        for chart in charts {
            self.put(format_args!("<div>{chart}</div>"));
        }
        self.put(format_args!("</div>"));
    }

    /// Text as it is, such as a command.
    pub fn verbatim(&mut self, text: &str) {
        // Line ends are kept, so lines are escaped one by one.
        let lines: Vec<String> = text.lines().map(escape).collect();
        self.put(format_args!("<pre>{}</pre>", lines.join("\n")));
    }

    /// The whole page.
    pub fn finish(self) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" \
             href=\"data:,\">\n<title>{}</title>\n<style>\n{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n{}</body>\n\
             </html>\n",
            escape(&self.title),
            self.body
        )
    }
}
