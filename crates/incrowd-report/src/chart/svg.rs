//! What all charts share: escaping, text, the frame.

use std::fmt::Write;

/// Colours of the series: Okabe and Ito's, which people of all kinds of colour vision tell apart. Yellow
/// is left out: it cannot be seen on paper.
pub const STYLE: &str = include_str!("style.css");

/// A chart as a file of its own, with its colours.
pub fn standalone(svg: &str) -> String {
    match svg.split_once(">\n") {
        Some((head, body)) => format!("{head}>\n<style>{STYLE}</style>\n{body}"),
        None => svg.to_owned(),
    }
}

/// The charts of a page, each as a file of its own.
pub fn charts_of(page: &str) -> Vec<String> {
    let mut charts = Vec::new();
    let mut rest = page;
    while let Some((_, from)) = rest.split_once("<svg ") {
        let Some((chart, behind)) = from.split_once("</svg>") else { break };
        charts.push(standalone(&format!("<svg {chart}</svg>")));
        rest = behind;
    }
    charts
}

/// How many colours there are; series beyond repeat them with other marks.
pub(super) const COLOURS: usize = 8;

/// How many marks there are. It has no factor in common with the number of colours, so that many series
/// differ in one or the other.
const MARKS: usize = 7;

/// Text that can stand in HTML, between tags and in attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Characters that XML does not know, not even escaped.
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// How wide a text is, about, in pixels.
pub(super) fn width(text: &str) -> f64 {
    let wide = |c: char| if u32::from(c) >= 0x1100 { 13.0 } else { 7.2 };
    text.chars().map(wide).sum()
}

/// A text that takes at most so many pixels.
fn shortened(text: &str, most: f64) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if width(&short) + width("…") + 12.0 > most {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

/// A text in lines that take at most so many pixels each, parted between words where that is possible.
pub(super) fn wrapped(text: &str, most: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    // Behind these a line may end.
    let pieces = text.split_inclusive([' ', ',', ';', '-', '/', '_', '.']);
    for piece in pieces {
        if width(&line) + width(piece.trim_end()) <= most {
            line.push_str(piece);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in piece.chars() {
            if !line.is_empty() && width(&line) + width(c.encode_utf8(&mut [0; 4])) > most {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    lines.push(line);
    lines.iter().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// How high a title is that is to be so wide, with the room below it.
pub(super) fn title_height(title: &str, width: f64) -> f64 {
    10.0 + TITLE_LINE * wrapped(title, width / TITLE_SIZE).len().max(1) as f64
}

const TITLE_LINE: f64 = 14.0;
/// Titles are larger than other texts, and bold.
const TITLE_SIZE: f64 = 1.15;

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextAnchor {
    Start,
    Middle,
    End,
}

/// A drawing.
pub(super) struct SvgDrawing {
    body: String,
    height: f64,
    width: f64,
}

impl SvgDrawing {
    /// A drawing with a title and a description for those who do not see it.
    pub(super) fn new(width: f64, height: f64, title: &str, about: &str) -> Self {
        let mut drawing = SvgDrawing { body: String::new(), height, width };
        drawing.put(format_args!("<title>{}</title>", escape(title)));
        drawing.put(format_args!("<desc>{}</desc>", escape(about)));
        for (at, line) in wrapped(title, width / TITLE_SIZE).iter().enumerate() {
            drawing.text((0.0, TITLE_LINE * (at as f64 + 1.0)), TextAnchor::Start, "title", line);
        }
        drawing
    }

    pub(super) fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: TextAnchor, class: &str, text: &str) {
        let anchor = match anchor {
            TextAnchor::Start => "start",
            TextAnchor::Middle => "middle",
            TextAnchor::End => "end",
        };
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{}</text>",
            escape(text)
        ));
    }

    /// A text from a point to the right that takes at most so many pixels; a hint holds all of it where it was
    /// shortened.
    pub(super) fn text_within(&mut self, (x, y): (f64, f64), most: f64, text: &str) {
        if width(text) <= most {
            return self.text((x, y), TextAnchor::Start, "", text);
        }
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\">{}<title>{}</title></text>",
            escape(&shortened(text, most)),
            escape(text)
        ));
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.put(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// A bar with a hint that browsers show.
    pub(super) fn bar(&mut self, colour: usize, corner: (f64, f64), size: (f64, f64), hint: &str) {
        let ((x, y), (width, height)) = (corner, size);
        self.put(format_args!(
            "<rect class=\"fill c{}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"><title>{}</title></rect>",
            colour % COLOURS,
            escape(hint)
        ));
    }

    /// A legend in a row or more; returns the height that it took.
    pub(super) fn legend<S: AsRef<str>>(&mut self, top: f64, names: &[(S, LegendKey)]) -> f64 {
        let (mut x, mut y) = (0.0, top + 12.0);
        for (name, sample) in names {
            let name = name.as_ref();
            let taken = 30.0 + width(name) + 16.0;
            if x > 0.0 && x + taken > self.width {
                (x, y) = (0.0, y + 18.0);
            }
            self.sample((x, y - 4.0), *sample, name);
            let gap = if matches!(sample, LegendKey::Box(_)) { 18.0 } else { 30.0 };
            self.text((x + gap, y), TextAnchor::Start, "", name);
            x += taken;
        }
        if names.is_empty() { 0.0 } else { y - top + 8.0 }
    }

    /// What stands before a name, from this place to the right.
    pub(super) fn sample(&mut self, (x, y): (f64, f64), sample: LegendKey, hint: &str) {
        match sample {
            LegendKey::Box(colour) => self.bar(colour, (x, y - 5.0), (12.0, 10.0), hint),
            LegendKey::Line(stroke) => {
                self.line(&stroke.class(), (x, y), (x + 24.0, y));
                self.mark(stroke, (x + 12.0, y), hint);
            }
        }
    }

    /// The mark of a line.
    pub(super) fn mark(&mut self, stroke: LineStroke, (x, y): (f64, f64), hint: &str) {
        let LineStroke::Coloured(series) = stroke else {
            self.put(format_args!(
                "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"1.5\"><title>{}</title></circle>",
                escape(hint)
            ));
            return;
        };
        let path = match series % MARKS {
            0 => format!("M{:.1} {y:.1}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", x - 3.5),
            1 => format!("M{:.1} {:.1}h6.4v6.4h-6.4z", x - 3.2, y - 3.2),
            2 => format!("M{x:.1} {:.1}l4 7h-8z", y - 4.0),
            3 => format!("M{x:.1} {:.1}l4.4 4.4l-4.4 4.4l-4.4-4.4z", y - 4.4),
            4 => format!("M{x:.1} {:.1}l4 -7h-8z", y + 4.0),
            5 => format!("M{:.1} {:.1}l7 7m0-7l-7 7", x - 3.5, y - 3.5),
            _ => format!("M{:.1} {y:.1}h9M{x:.1} {:.1}v9", x - 4.5, y - 4.5),
        };
        self.put(format_args!(
            "<path class=\"mark c{}\" d=\"{path}\"><title>{}</title></path>",
            series % COLOURS,
            escape(hint)
        ));
    }

    /// The whole drawing.
    pub(super) fn finish(self) -> String {
        let SvgDrawing { body, height, width } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 \
             {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n{body}</svg>\n"
        )
    }
}

/// What stands before a name.
#[derive(Debug, Clone, Copy)]
pub(super) enum LegendKey {
    /// A box of a colour.
    Box(usize),
    /// A piece of a line.
    Line(LineStroke),
}

impl LegendKey {
    /// Names before boxes of one colour after the other.
    pub(super) fn boxes<S: AsRef<str>>(names: &[S]) -> Vec<(&str, LegendKey)> {
        let boxes = names.iter().enumerate();
        boxes.map(|(colour, name)| (name.as_ref(), LegendKey::Box(colour))).collect()
    }
}

/// How a line looks.
#[derive(Debug, Clone, Copy)]
pub(super) enum LineStroke {
    /// In a colour, dashed where the colour is used again.
    Coloured(usize),
    /// A broad band.
    Reference,
    /// Dotted, in no colour.
    Bound,
}

impl LineStroke {
    /// The class of the line.
    pub(super) fn class(self) -> String {
        match self {
            LineStroke::Coloured(series) => {
                let dash = if (series / COLOURS) % 2 == 1 { " dashed" } else { "" };
                format!("line c{}{dash}", series % COLOURS)
            }
            LineStroke::Reference => "reference".to_owned(),
            LineStroke::Bound => "bound".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_lost_in_lines() {
        for text in [
            "one",
            "several short words in a row",
            "Unbrokenlyandverylongindeed",
            "a-b_c.d/e",
            "",
            "日本語の長い名前です",
        ] {
            for most in [20.0, 60.0, 400.0] {
                let lines = wrapped(text, most);
                let kept: String = lines.concat().split_whitespace().collect();
                assert_eq!(kept, text.split_whitespace().collect::<String>());
                assert!(lines.iter().all(|line| width(line) <= most), "{lines:?}");
            }
        }
        assert_eq!(wrapped("marital status, by law", 90.0), ["marital", "status, by", "law"]);
    }
}
