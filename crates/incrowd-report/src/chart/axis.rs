//! Scales, ticks and numbers on axes.

/// How values are laid along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps, from 0.
    Linear,
    /// Equal steps over the range of the values alone, for values that differ little. The label must say
    /// that it does not begin at 0.
    Within,
    /// Equal factors; values must be above 0.
    Log,
}

/// An axis: what it shows, in which unit, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows with its unit: `seconds`, `k (rows)`.
    pub label: String,
    /// How values are laid along it.
    pub scale: Scale,
    /// Values to mark, where the data suggest some, such as every k.
    pub ticks: Option<Vec<f64>>,
}

impl Axis {
    /// An axis from 0 in equal steps.
    pub fn linear(label: &str) -> Self {
        Axis { label: label.to_owned(), scale: Scale::Linear, ticks: None }
    }

    /// An axis in equal factors.
    pub fn log(label: &str) -> Self {
        Axis { label: label.to_owned(), scale: Scale::Log, ticks: None }
    }
}

/// An axis with its range and its place.
#[derive(Debug, Clone)]
pub(super) struct PlacedAxis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl PlacedAxis {
    /// The ruler that holds these values between two pixels.
    pub(super) fn new(scale: Scale, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let usable = |value: &f64| value.is_finite() && (scale != Scale::Log || *value > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(usable) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        if scale == Scale::Linear {
            low = low.min(0.0);
        }
        if high <= low {
            high = if scale == Scale::Log { low * 10.0 } else { low + 1.0 };
        }
        PlacedAxis { scale, low, high, from, to }
    }

    /// Where a value lies.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear | Scale::Within => (value - self.low) / (self.high - self.low),
            Scale::Log => (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln()),
        };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Whether a value can be shown.
    pub(super) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (self.scale != Scale::Log || value > 0.0)
    }

    /// Values to mark, so far apart that labels of `room` pixels do not meet.
    pub(super) fn ticks(&self, given: Option<&[f64]>, room: impl Fn(&str) -> f64) -> Vec<f64> {
        let all = match (given, self.scale) {
            (Some(given), _) => given.to_vec(),
            (None, Scale::Linear | Scale::Within) => self.steps(),
            (None, Scale::Log) => self.decades(),
        };
        let mut kept: Vec<f64> = Vec::new();
        for value in all.into_iter().filter(|&value| self.low <= value && value <= self.high) {
            let clear = kept.last().is_none_or(|&last: &f64| {
                let needed = (room(&short(last)) + room(&short(value))) / 2.0 + 6.0;
                (self.at(value) - self.at(last)).abs() >= needed
            });
            if clear {
                kept.push(value);
            }
        }
        kept
    }

    /// About five round values.
    fn steps(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 5.0;
        let ten = 10f64.powf(rough.log10().floor());
        let factors = [1.0, 2.0, 5.0, 10.0];
        let step = ten * factors.into_iter().find(|f| f * ten >= rough).unwrap_or(10.0);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|at| at as f64 * step).collect()
    }

    /// 1, 2 and 5 of every power of ten; powers alone where there are many.
    fn decades(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let parts: &[f64] = if last - first > 3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        (first..=last).flat_map(|at| parts.iter().map(move |part| part * 10f64.powi(at))).collect()
    }
}

/// A number with few characters: `12k`, `3.5M`, `0.02`.
pub(super) fn short(value: f64) -> String {
    let trimmed = |value: f64, unit: &str| {
        let digits = if value.abs() >= 100.0 || value.fract() == 0.0 { 0 } else { 2 };
        let text = format!("{value:.digits$}");
        let text = match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.'),
            false => &text,
        };
        format!("{text}{unit}")
    };
    match value.abs() {
        size if !size.is_finite() => "?".to_owned(),
        size if size >= 1e15 => format!("{value:.0e}"),
        size if size >= 1e9 => trimmed(value / 1e9, "G"),
        size if size >= 1e6 => trimmed(value / 1e6, "M"),
        size if size >= 1e4 => trimmed(value / 1e3, "k"),
        size if size >= 0.01 || size == 0.0 => trimmed(value, ""),
        _ => format!("{value:.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (0.25, "0.25"),
            (1000.0, "1000"),
            (12_500.0, "12.5k"),
            (30_162.0, "30.16k"),
            (4_000_000.0, "4M"),
            (2.5e9, "2.5G"),
            (0.0004, "4e-4"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn labels_do_not_meet() {
        let ks: Vec<f64> = (2..=1000).map(f64::from).collect();
        let ruler = PlacedAxis::new(Scale::Log, ks.iter().copied(), 0.0, 500.0);
        let ticks = ruler.ticks(Some(&ks), super::super::svg::width);
        assert_eq!(ticks[0], 2.0);
        assert!(ticks.len() > 5);
        for pair in ticks.windows(2) {
            let room = super::super::svg::width(&short(pair[0])) / 2.0
                + super::super::svg::width(&short(pair[1])) / 2.0;
            assert!(ruler.at(pair[1]) - ruler.at(pair[0]) > room, "{pair:?}");
        }
    }

    #[test]
    fn odd_data_give_a_ruler_too() {
        for values in [vec![], vec![f64::NAN], vec![0.0], vec![5.0, 5.0], vec![-1.0, f64::INFINITY]]
        {
            for scale in [Scale::Linear, Scale::Within, Scale::Log] {
                let ruler = PlacedAxis::new(scale, values.iter().copied(), 10.0, 90.0);
                for value in [-3.0, 0.0, 1.0, 1e12] {
                    let at = ruler.at(value);
                    assert!(
                        !ruler.shows(value) || (10.0..=90.0).contains(&at),
                        "{values:?} {value}"
                    );
                }
            }
        }
    }
}
