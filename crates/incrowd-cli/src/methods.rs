//! The methods and their options as help texts, from the engine's registry.

use incrowd::METHODS;

/// The names of the methods, in a line.
pub(crate) fn names() -> String {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("The method: {} or {last}", rest.join(", "))
        }
        _ => format!("The method: {}", names.join("")),
    }
}

/// What each method does.
pub(crate) fn described() -> String {
    let lines = METHODS.iter().map(|method| format!("- {}: {}", method.name, method.about));
    format!("The method:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// The options of some methods.
pub(crate) fn options(of: impl Fn(&str) -> bool) -> String {
    let mut text = "An option of the method:".to_owned();
    for method in METHODS.iter().filter(|method| of(method.name)) {
        for option in method.options {
            let (name, values, about) = (option.name, option.values, option.about);
            text.push_str(&format!("\n- {}: {name}={values}: {about}", method.name));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_and_every_option_is_in_the_help() {
        let (names, described, options) = (names(), described(), options(|_| true));
        for method in METHODS {
            assert!(names.contains(method.name) && described.contains(method.about));
            for option in method.options {
                assert!(options.contains(&format!("{}: {}=", method.name, option.name)));
            }
        }
        assert!(options.contains("mode=strict|relaxed"), "{options}");
        assert!(options.contains("bins=2..1024|off [default: 128]"), "{options}");
    }
}
