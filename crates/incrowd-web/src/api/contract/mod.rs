//! The types that pages know requests and answers by: `assets/api.d.ts`, written from the structs of Rust.
//!
//! The structs are read as they stand in the sources, with what serde is told of them. So no crate carries a derive for
//! pages, and a field that is renamed is renamed there, too: the type check of the pages then says where they use it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod rust_types;
mod schema_types;

use std::fmt::Write;

use incrowd_run::spec::spec_schema;

use self::rust_types::{Direction, TypeWriter};
use self::schema_types::{declarations, type_of_schema};

/// What stands above the types.
const HEAD: &str = "\
// Written by `UPDATE=1 cargo test -p incrowd-web contract` from the structs of Rust. Not to be changed by hand.

/** A change, in which null takes something away (JSON merge patch, RFC 7396). */
export type Patch<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Patch<T[K]> | null } : T;
export type SpecPatch = Patch<Spec>;
export type SpecJson = Spec;
export type HierarchySetting = Hierarchy | null;

/** The name of a call. */
export type RouteName = keyof Routes;
/** What a call answers. */
export type Answer<N extends RouteName> = Routes[N][1];
/** What a call is given: nothing where nothing is needed. */
export type Given<N extends RouteName> = {} extends Routes[N][0] ? [given?: Routes[N][0]] : [given: Routes[N][0]];
";

/// The types as pages know them.
fn contract() -> String {
    let schema = spec_schema();
    let mut writer = TypeWriter::new(declarations(&schema));
    let mut routes = String::new();
    for (name, given, answer) in super::ROUTES {
        let given = writer.named(given, Direction::Given);
        let answer = writer.named(answer, Direction::Answered);
        writeln!(routes, "  {name:?}: [{given}, {answer}];").unwrap();
    }
    let export = writer.named("HierarchyRequest", Direction::Given);
    for news in ["SessionNews", "ErrorReport"] {
        writer.named(news, Direction::Answered);
    }
    let spec = type_of_schema(&schema);
    format!(
        "{HEAD}
/** What each call is given, and what it answers. */
export interface Routes {{
{routes}}}

/** What calls that answer with a file are given. */
export interface FileRoutes {{
  \"export\": {export};
}}

export type Spec = {spec};

{}",
        writer.finish()
    )
}

/// `UPDATE=1 cargo test -p incrowd-web contract` writes the file anew.
#[test]
fn pages_know_every_request_and_answer() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/api.d.ts");
    let types = contract();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &types).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == types, "assets/api.d.ts is out of date: run this test with UPDATE=1");
}
