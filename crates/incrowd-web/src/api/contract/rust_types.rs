//! Types of TypeScript from structs and enums of Rust, as serde writes and reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, Fields, GenericArgument, Item, ItemEnum, ItemStruct, PathArguments, Token,
    Type,
};

use super::schema_types::{key, list_of, union};

/// The crates whose types reach pages, and are looked through for them.
const CRATES: [&str; 7] = ["web", "run", "spec", "data", "assess", "engine", "verify"];

/// Types that are not read from the sources: they are written by hand, here or at the head of the file.
const BY_HAND: [(&str, &str); 4] = [
    ("SearchStatus", "string"),
    ("SpecPatch", "SpecPatch"),
    ("SpecJson", "SpecJson"),
    ("HierarchySetting", "HierarchySetting"),
];

/// Whether pages send something or get it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    Given,
    Answered,
}

/// Types that were found in the sources, and those that pages need of them.
pub(super) struct TypeWriter {
    /// By name: the crate and the definition.
    known: BTreeMap<String, Vec<(&'static str, Item)>>,
    /// Types that serialize themselves in a way of their own.
    own_way: BTreeSet<String>,
    /// Types of spec files.
    schema: BTreeMap<String, String>,
    /// What is written already.
    done: BTreeMap<String, String>,
}

impl TypeWriter {
    pub(super) fn new(schema: BTreeMap<String, String>) -> Self {
        let mut writer = TypeWriter {
            known: BTreeMap::new(),
            own_way: BTreeSet::new(),
            done: schema.iter().map(|(name, of)| (name.clone(), alias(name, of))).collect(),
            schema,
        };
        for name in CRATES {
            let folder = format!("{}/../incrowd-{name}/src", env!("CARGO_MANIFEST_DIR"));
            writer.read_folder(name, Path::new(&folder));
        }
        writer
    }

    fn read_folder(&mut self, of: &'static str, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.read_folder(of, &path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                // What is not serialized reaches no page.
                if !text.contains("serde") {
                    continue;
                }
                let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
                file.items.into_iter().for_each(|item| self.read_item(of, item));
            }
        }
    }

    fn read_item(&mut self, of: &'static str, item: Item) {
        let name = match &item {
            Item::Struct(ItemStruct { ident, .. }) | Item::Enum(ItemEnum { ident, .. }) => ident,
            Item::Type(alias) => &alias.ident,
            Item::Impl(found) => {
                let is_own = found.trait_.as_ref().is_some_and(|(path, _)| {
                    path.segments.last().is_some_and(|it| it.ident == "Serialize")
                });
                if let (true, Type::Path(path)) = (is_own, &*found.self_ty) {
                    self.own_way.insert(path.path.segments.last().unwrap().ident.to_string());
                }
                return;
            }
            _ => return,
        };
        self.known.entry(name.to_string()).or_default().push((of, item));
    }

    /// The type of that name, written out with all that it consists of.
    pub(super) fn named(&mut self, text: &str, direction: Direction) -> String {
        let parsed: Type = syn::parse_str(text).unwrap();
        self.type_of("web", &parsed, direction)
    }

    /// All types that were asked for.
    pub(super) fn finish(self) -> String {
        self.done.into_values().collect()
    }

    fn type_of(&mut self, of: &'static str, rust: &Type, direction: Direction) -> String {
        match rust {
            Type::Reference(it) => self.type_of(of, &it.elem, direction),
            Type::Slice(it) => list_of(&self.type_of(of, &it.elem, direction)),
            Type::Array(it) => list_of(&self.type_of(of, &it.elem, direction)),
            Type::Tuple(it) => {
                let all: Vec<String> =
                    it.elems.iter().map(|it| self.type_of(of, it, direction)).collect();
                format!("[{}]", all.join(", "))
            }
            Type::Path(it) => {
                let last = it.path.segments.last().unwrap();
                let mut inner = Vec::new();
                if let PathArguments::AngleBracketed(given) = &last.arguments {
                    for given in &given.args {
                        if let GenericArgument::Type(given) = given {
                            inner.push(self.type_of(of, given, direction));
                        }
                    }
                }
                self.path(of, &last.ident.to_string(), &inner, direction)
            }
            _ => panic!("a type of this kind has no place in an answer"),
        }
    }

    fn path(
        &mut self,
        of: &'static str,
        name: &str,
        inner: &[String],
        direction: Direction,
    ) -> String {
        match (name, inner) {
            ("String" | "str" | "PathBuf" | "Path" | "char", _) => "string".to_owned(),
            ("bool", _) => "boolean".to_owned(),
            ("u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" | "f64", _) => {
                "number".to_owned()
            }
            ("Value", _) => "unknown".to_owned(),
            ("T", _) => "T".to_owned(),
            ("Option", [of]) => union([of.clone(), "null".to_owned()].into_iter()),
            ("Vec", [of]) => list_of(of),
            ("Box" | "Arc" | "Cow", [of]) => of.clone(),
            ("BTreeMap", [_, of]) => format!("Record<string, {of}>"),
            (name, []) => self.defined(of, name, direction),
            (name, inner) => {
                format!("{}<{}>", self.defined(of, name, direction), inner.join(", "))
            }
        }
    }

    /// A type of the sources; what is not there is one of specs.
    fn defined(&mut self, of: &'static str, name: &str, direction: Direction) -> String {
        if let Some((_, text)) = BY_HAND.iter().find(|(known, _)| *known == name) {
            return (*text).to_owned();
        }
        let all = self.known.get(name).map_or(&[][..], Vec::as_slice);
        let here: Vec<_> = all.iter().filter(|(known, _)| *known == of).collect();
        let (home, item) = match (&here[..], all) {
            ([one], _) => (one.0, one.1.clone()),
            ([], [one]) => (one.0, one.1.clone()),
            ([], []) if self.schema.contains_key(name) => return name.to_owned(),
            ([], []) => panic!("there is no type {name} in the sources"),
            _ => panic!("several types are called {name}"),
        };
        assert!(!self.own_way.contains(name), "{name} serializes itself: write its type by hand");
        if let Item::Type(alias) = &item {
            return self.type_of(home, &alias.ty, direction);
        }
        let before = self.done.get(name).cloned();
        // A type may hold itself.
        self.done.insert(name.to_owned(), before.clone().unwrap_or_default());
        let text = match &item {
            Item::Struct(item) => self.structure(home, item, direction),
            Item::Enum(item) => alias(name, &self.choice(home, item, direction)),
            _ => unreachable!(),
        };
        let same = before.is_none_or(|before| before.is_empty() || before == text);
        assert!(same, "{name} is needed in two ways: {text}");
        self.done.insert(name.to_owned(), text);
        name.to_owned()
    }

    fn structure(&mut self, of: &'static str, item: &ItemStruct, direction: Direction) -> String {
        let serde = SerdeRules::of(&item.attrs);
        let mut name = item.ident.to_string();
        if item.generics.type_params().next().is_some() {
            name += "<T>";
        }
        if let Some(into) = &serde.into {
            return alias(&name, &self.named_in(of, into, direction));
        }
        if let Fields::Unnamed(fields) = &item.fields {
            let all: Vec<String> =
                fields.unnamed.iter().map(|it| self.type_of(of, &it.ty, direction)).collect();
            let one = all.len() == 1;
            return alias(
                &name,
                &if one { all[0].clone() } else { format!("[{}]", all.join(", ")) },
            );
        }
        let (fields, mut parts) = self.fields(of, &item.fields, &serde, direction);
        parts.push(format!("{{ {} }}", fields.join("; ")));
        alias(&name, &parts.join(" & "))
    }

    fn named_in(&mut self, of: &'static str, text: &str, direction: Direction) -> String {
        self.type_of(of, &syn::parse_str(text).unwrap(), direction)
    }

    /// The fields, and the types whose fields stand among them.
    fn fields(
        &mut self,
        of: &'static str,
        fields: &Fields,
        outer: &SerdeRules,
        direction: Direction,
    ) -> (Vec<String>, Vec<String>) {
        let (mut own, mut also) = (Vec::new(), Vec::new());
        for field in fields {
            let serde = SerdeRules::of(&field.attrs);
            if serde.skip {
                continue;
            }
            let written = self.type_of(of, &field.ty, direction);
            if serde.flatten {
                also.push(written);
                continue;
            }
            let ident = field.ident.as_ref().unwrap().to_string();
            let rust = ident.trim_start_matches("r#").to_owned();
            let name = serde.rename.unwrap_or_else(|| match &outer.rename_all {
                Some(rule) => renamed(&rust, rule),
                None => rust,
            });
            let null = written.strip_suffix(" | null");
            let (mark, written) = match direction {
                Direction::Given if serde.default || outer.default || null.is_some() => {
                    ("?", written.as_str())
                }
                Direction::Answered if serde.skip_none => ("?", null.unwrap_or(&written)),
                Direction::Answered if serde.skip_if => ("?", written.as_str()),
                _ => ("", written.as_str()),
            };
            own.push(format!("{}{mark}: {written}", key(&name)));
        }
        (own, also)
    }

    fn choice(&mut self, of: &'static str, item: &ItemEnum, direction: Direction) -> String {
        let serde = SerdeRules::of(&item.attrs);
        if let Some(into) = &serde.into {
            return self.named_in(of, into, direction);
        }
        let mut all = Vec::new();
        for variant in &item.variants {
            let own = SerdeRules::of(&variant.attrs);
            let name = own.rename.clone().unwrap_or_else(|| {
                let name = variant.ident.to_string();
                serde.rename_all.as_ref().map_or(name.clone(), |rule| renamed(&name, rule))
            });
            let inside = match &variant.fields {
                Fields::Unit => None,
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                    Some(self.type_of(of, &fields.unnamed[0].ty, direction))
                }
                Fields::Unnamed(fields) => {
                    let all: Vec<String> = fields
                        .unnamed
                        .iter()
                        .map(|it| self.type_of(of, &it.ty, direction))
                        .collect();
                    Some(format!("[{}]", all.join(", ")))
                }
                fields => {
                    let (own, also) = self.fields(of, fields, &SerdeRules::default(), direction);
                    assert!(also.is_empty(), "a variant of {} is flattened", item.ident);
                    Some(format!("{{ {} }}", own.join("; ")))
                }
            };
            all.push(match (&serde.tag, inside) {
                (None, inside) if serde.untagged => inside.unwrap_or("null".to_owned()),
                (None, None) => format!("{name:?}"),
                (None, Some(inside)) => format!("{{ {}: {inside} }}", key(&name)),
                (Some(tag), None) => format!("{{ {}: {name:?} }}", key(tag)),
                (Some(tag), Some(inside)) => format!("{{ {}: {name:?} }} & {inside}", key(tag)),
            });
        }
        union(all.into_iter())
    }
}

fn alias(name: &str, of: &str) -> String {
    format!("export type {name} = {of};\n")
}

/// A name as serde renames it.
fn renamed(name: &str, rule: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
    }
    match rule {
        "lowercase" => name.to_lowercase(),
        "snake_case" => words,
        "kebab-case" => words.replace('_', "-"),
        other => panic!("the rule {other} is not known here"),
    }
}

/// What serde is told of a type, a variant or a field.
#[derive(Default)]
struct SerdeRules {
    rename: Option<String>,
    rename_all: Option<String>,
    tag: Option<String>,
    into: Option<String>,
    untagged: bool,
    default: bool,
    flatten: bool,
    skip: bool,
    /// Left out if it is none.
    skip_none: bool,
    /// Left out in other cases.
    skip_if: bool,
}

impl SerdeRules {
    fn of(attributes: &[Attribute]) -> Self {
        let mut rules = SerdeRules::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
            let all = attribute
                .parse_args_with(Punctuated::<syn::Meta, Token![,]>::parse_terminated)
                .unwrap();
            all.iter().for_each(|it| rules.take(it));
        }
        rules
    }

    fn take(&mut self, meta: &syn::Meta) {
        let text = match meta {
            syn::Meta::NameValue(it) => match &it.value {
                Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        };
        match meta.path().get_ident().unwrap().to_string().as_str() {
            "rename" => self.rename = Some(text.unwrap()),
            "rename_all" => self.rename_all = Some(text.unwrap()),
            "tag" => self.tag = Some(text.unwrap()),
            "into" => self.into = Some(text.unwrap()),
            "untagged" => self.untagged = true,
            "default" => self.default = true,
            "flatten" => self.flatten = true,
            "skip" => self.skip = true,
            "skip_serializing_if" if text.as_deref() == Some("Option::is_none") => {
                self.skip_none = true;
            }
            "skip_serializing_if" => self.skip_if = true,
            // How something is read back does not matter to pages.
            "from" | "try_from" | "deny_unknown_fields" => {}
            other => panic!("what serde does by `{other}` is not known here"),
        }
    }
}
