//! Methods as people write them: `mondrian:cut=penalty:mode=relaxed`.

use incrowd::Method;

use crate::spec::{Algorithm, OptionValue};
use crate::{Error, Result};

/// Reads a method with its options; `more` are options that all of them get.
pub fn parse(text: &str, more: &[(&str, &str)]) -> Result<Method> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let given: Vec<(&str, &str)> = parts
        .map(|option| {
            option.split_once('=').ok_or_else(|| {
                Error::new(format!("`{option}` is not an option of a method"))
                    .help("write METHOD:OPTION=VALUE, such as mondrian:cut=penalty")
            })
        })
        .collect::<Result<_>>()?;
    Ok(Method::new(name, &[&given, more].concat())?)
}

/// The method of a spec with its options, as [`parse`] reads them.
pub fn text(algorithm: &Algorithm) -> String {
    let options = algorithm.options.iter().map(|(name, value)| {
        let value = match value {
            OptionValue::Text(text) => text.clone(),
            OptionValue::Integer(number) => number.to_string(),
            OptionValue::Number(number) => number.to_string(),
            OptionValue::Bool(yes) => yes.to_string(),
        };
        format!(":{name}={value}")
    });
    algorithm.method.clone() + &options.collect::<String>()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn a_method_is_read_with_its_options_and_more() {
        let method = parse("mondrian:cut=penalty", &[("mode", "relaxed")]).unwrap();
        let same = Method::new("mondrian", &[("cut", "penalty"), ("mode", "relaxed")]).unwrap();
        assert_eq!(method, same);
        assert!(parse("mondrian:cut", &[]).unwrap_err().help.is_some());
        assert!(parse("best", &[]).is_err());
        let mut algorithm = Algorithm { method: "optimal".to_owned(), ..Algorithm::default() };
        algorithm.options.insert("bins".to_owned(), OptionValue::Integer(64));
        assert_eq!(text(&algorithm), "optimal:bins=64");
        assert_eq!(
            parse(&text(&algorithm), &[]).unwrap(),
            Method::new("optimal", &[("bins", "64")]).unwrap()
        );
    }
}
