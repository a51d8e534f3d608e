//! The HTML page about a run: the one to be shared where the release is, or the one for the owner of the table.

use crate::run_page::RunPage;
use crate::shared_page::shared_story;

/// The page about a run as one HTML file.
pub fn run_page(page: &RunPage<'_>) -> String {
    match page.confidential {
        true => page.internal_story(),
        false => shared_story(page),
    }
    .to_html()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_demo::Census;
    use incrowd_engine::Control;
    use incrowd_run::spec::SpecFile;
    use incrowd_run::{Job, demo::SyntheticCensus, open_input, report::Tracer, run};

    use super::*;

    #[test]
    fn a_page_is_made_without_a_command() {
        let people = SyntheticCensus::new(Census::new(80, 1)).unwrap();
        let mut spec = people.spec(5);
        spec.release.report = Some(people.folder().join("page.html"));
        let file = SpecFile::from_options(spec).unwrap();
        let source = open_input(&file).unwrap();
        let job = Job::new(&file, &source).unwrap();
        let tracer = Tracer::new();
        let report = run(&job, &source, &tracer.listen(&Control::new())).unwrap();
        let trace = tracer.points();
        let page = RunPage::new(&file, &job, source.file_name(), &report).with_trace(&trace);
        let html = run_page(&page);
        for word in ["people.csv", "auto", "k = 5", "What is kept of each column"] {
            assert!(html.contains(word), "{word}");
        }
        assert!(!html.contains("incrowd anonymize"));
        let html = run_page(&page.with_command("incrowd anonymize people.csv"));
        assert!(html.contains("incrowd anonymize people.csv"));
    }
}
