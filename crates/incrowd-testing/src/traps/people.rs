//! What people are made of.

use super::rng::TrapRng;

pub(super) const FIRST: [&str; 24] = [
    "Ada", "Ben", "Cleo", "David", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Klara",
    "Luis", "Mona", "Nils", "Olga", "Pavel", "Rosa", "Said", "Tilda", "Uwe", "Vera", "Wanda",
    "Yusuf", "Zoe",
];

pub(super) const LAST: [&str; 24] = [
    "Abel", "Brandt", "Conti", "Dorn", "Engel", "Fuchs", "Gomez", "Haas", "Ivanov", "Jansen",
    "Keller", "Lorenz", "Moreau", "Nagel", "Okafor", "Peters", "Quint", "Reuter", "Silva", "Thoma",
    "Unger", "Vogel", "Weiss", "Zhang",
];

/// A place: ZIP code, town, region.
pub(super) const PLACES: [(&str, &str, &str); 16] = [
    ("53703", "Madison", "south"),
    ("53704", "Madison East", "south"),
    ("53590", "Sun Prairie", "south"),
    ("53562", "Middleton", "south"),
    ("53545", "Janesville", "south"),
    ("53202", "Milwaukee", "east"),
    ("53211", "Shorewood", "east"),
    ("53217", "Whitefish Bay", "east"),
    ("53186", "Waukesha", "east"),
    ("54301", "Green Bay", "north"),
    ("54401", "Wausau", "north"),
    ("54501", "Rhinelander", "north"),
    ("54601", "La Crosse", "west"),
    ("54701", "Eau Claire", "west"),
    ("54016", "Hudson", "west"),
    ("54806", "Ashland", "north"),
];

/// Sexes as tables have them.
pub(super) const SEXES: [&str; 2] = ["female", "male"];

/// An age as in a town: few are very old.
pub(super) fn age(draw: &mut TrapRng) -> i64 {
    let age = draw.between(0, 99);
    if age > 75 && draw.percent(70) { draw.between(18, 75) } else { age }
}

/// A full name.
pub(super) fn name(draw: &mut TrapRng) -> String {
    format!("{} {}", draw.one(&FIRST), draw.one(&LAST))
}
