//! A form as a page to print: the Markdown that forms are written in, as HTML.

use std::fmt::Write;

use crate::chart::escape;
use crate::page::Page;

/// A form as a page. Forms have headings, paragraphs, lists and tables; what somebody has to fill in stands in italics.
pub fn form_page(markdown: &str) -> String {
    let mut lines = markdown.lines().peekable();
    let title = lines.next_if(|line| line.starts_with("# ")).unwrap_or("# Form");
    let mut page = Page::new(title.trim_start_matches("# "));
    let mut paragraph: Vec<&str> = Vec::new();
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        let (in_list, in_table) = (is_item(line), line.starts_with('|'));
        let is_heading = line.starts_with('#');
        if line.is_empty() || in_list || in_table || is_heading {
            put_paragraph(&mut page, &mut paragraph);
        }
        if is_heading {
            page.heading(line.trim_start_matches('#').trim());
        } else if in_list {
            let mut items = vec![item_text(line).to_owned()];
            while let Some(next) = lines.next_if(|next| is_item_or_continued(next)) {
                match (is_item(next.trim_end()), items.last_mut()) {
                    (false, Some(last)) => *last = format!("{last} {}", next.trim()),
                    _ => items.push(item_text(next).to_owned()),
                }
            }
            let items: String = items.iter().map(|it| format!("<li>{}</li>", inline(it))).collect();
            page.html(&format!("<ul>{items}</ul>\n"));
        } else if in_table {
            let mut rows = vec![line];
            while let Some(next) = lines.next_if(|next| next.starts_with('|')) {
                rows.push(next);
            }
            page.html(&table(&rows));
        } else if !line.is_empty() {
            paragraph.push(line);
        }
    }
    put_paragraph(&mut page, &mut paragraph);
    page.finish()
}

fn put_paragraph(page: &mut Page, lines: &mut Vec<&str>) {
    if !lines.is_empty() {
        page.html(&format!("<p>{}</p>\n", inline(&lines.join(" "))));
        lines.clear();
    }
}

fn is_item(line: &str) -> bool {
    line.starts_with("- ")
}

fn is_item_or_continued(line: &str) -> bool {
    is_item(line) || (line.starts_with("  ") && !line.trim().is_empty())
}

fn item_text(line: &str) -> &str {
    line.trim_start_matches("- ").trim()
}

/// The rows of a table, the second of which only rules.
fn table(rows: &[&str]) -> String {
    let cells = |row: &str, tag: &str| -> String {
        let row = row.trim().trim_matches('|');
        let cell = |text: &str| format!("<{tag}>{}</{tag}>", inline(text.trim()));
        format!("<tr>{}</tr>", row.split('|').map(cell).collect::<String>())
    };
    let is_rule = |row: &str| row.chars().all(|c| "|-: ".contains(c));
    let has_head = rows.get(1).is_some_and(|row| is_rule(row));
    let head = rows.first().filter(|_| has_head).map_or(String::new(), |row| cells(row, "th"));
    let body = rows.iter().skip(if has_head { 2 } else { 0 }).map(|row| cells(row, "td"));
    format!("<table><thead>{head}</thead><tbody>{}</tbody></table>\n", body.collect::<String>())
}

/// Code, strong words and emphasis; all else is text.
fn inline(text: &str) -> String {
    let mut html = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*']) {
        let mark = if rest[at..].starts_with("**") { "**" } else { &rest[at..=at] };
        let (before, inner) = (&rest[..at], &rest[at + mark.len()..]);
        html.push_str(&escape(before));
        let Some(end) = inner.find(mark).filter(|end| *end > 0) else {
            html.push_str(mark);
            rest = inner;
            continue;
        };
        let tag = match mark {
            "`" => "code",
            "**" => "strong",
            _ => "em",
        };
        // Writing to a string cannot fail.
        let _ = write!(html, "<{tag}>{}</{tag}>", escape(&inner[..end]));
        rest = &inner[end + mark.len()..];
    }
    html.push_str(&escape(rest));
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_becomes_a_page_and_nothing_in_it_is_taken_for_html() {
        let page = form_page(
            "# Determination: <b>\n\nOne line\nand **another**.\n\n## 1. The *expert*\n- Name: *(to be filled \
             in)*.\n  More of it.\n- `a<b` & c\n\n| who | what |\n| --- | --- |\n| J. | 2 * 3 |\n",
        );
        assert!(page.contains("<h1>Determination: &lt;b&gt;</h1>"), "{page}");
        assert!(page.contains("<p>One line and <strong>another</strong>.</p>"));
        assert!(page.contains("<li>Name: <em>(to be filled in)</em>. More of it.</li>"));
        assert!(page.contains("<li><code>a&lt;b</code> &amp; c</li>"));
        assert!(page.contains("<tr><th>who</th><th>what</th></tr>"));
        assert!(page.contains("<td>2 * 3</td>") && !page.contains("---"));
        assert_eq!(inline("a ** b `"), "a ** b `");
        assert!(form_page("").contains("<h1>Form</h1>"));
    }
}
