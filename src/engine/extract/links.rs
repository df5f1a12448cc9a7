//! Positions in a text: map links, `geo:` addresses, a pair of coordinates.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::geo::Point;

use super::pattern;

/// What a text says of a place on the map.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Located {
    /// The position, when it can be read.
    pub point: Option<Point>,
    /// A map link that holds no coordinates (short links do not).
    pub without_coordinates: bool,
}

static LINK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:https?://|\bgeo:|\b(?:maps\.app\.goo\.gl|goo\.gl/maps|maps\.google\.[a-z.]+|(?:www\.)?google\.[a-z.]+/maps|waze\.com)\b)\S*",
    )
});
static MAP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^geo:|maps\.app\.goo\.gl|goo\.gl/maps|maps\.google\.|google\.[a-z.]+/maps|maps\.apple\.com|openstreetmap\.org|waze\.com",
    )
});
/// `@lat,lon`, `q=lat,lon`, `!3dlat!4dlon`, `geo:lat,lon`, `mlat=…&mlon=…`, each with the degrees as decimals.
static IN_LINK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:!3d(-?[0-9]{1,2}\.[0-9]+)!4d(-?[0-9]{1,3}\.[0-9]+))|(?:mlat=(-?[0-9]{1,2}\.[0-9]+)&mlon=(-?[0-9]{1,3}\.[0-9]+))|(?:(?:@|geo:|[?&](?:q|ll|query|daddr|destination|center|sll)=(?:loc:)?|/place/|/search/|/dir//?)(-?[0-9]{1,2}(?:\.[0-9]+)?)(?:,|%2c)\+?(?:%20)?(-?[0-9]{1,3}(?:\.[0-9]+)?))",
    )
});
/// A bare pair needs three decimals each, so that no other figures are taken for a position.
static BARE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:^|[\s(])(-?[0-9]{1,2}\.[0-9]{3,})\s*[,;\s]\s*(-?[0-9]{1,3}\.[0-9]{3,})"));

/// Takes links and positions out of a text; what remains is the question.
pub fn take(text: &str) -> (String, Located) {
    let mut located = Located::default();
    let mut rest = LINK
        .replace_all(text, |link: &regex::Captures<'_>| {
            let link = link.get(0).map_or("", |m| m.as_str());
            let is_map = MAP.is_match(link);
            if let Some(point) = point_in(&IN_LINK, link).filter(|_| is_map) {
                located.point = located.point.or(Some(point));
            } else if is_map {
                located.without_coordinates = true;
            }
            " "
        })
        .into_owned();
    if located.point.is_none()
        && let Some(point) = point_in(&BARE, &rest)
    {
        located.point = Some(point);
        rest = BARE.replace(&rest, " ").into_owned();
    }
    (rest, located)
}

/// The first pair of groups that matched, when it is a position.
fn point_in(pattern: &Regex, text: &str) -> Option<Point> {
    let found = pattern.captures(text)?;
    let mut figures = found.iter().skip(1).flatten().map(|m| m.as_str().parse::<f64>());
    Point::new(figures.next()?.ok()?, figures.next()?.ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_link_is_a_position() {
        for link in [
            "https://www.google.com/maps/@-18.507,-70.255,15z",
            "https://maps.google.com/?q=-18.507,-70.255",
            "https://maps.google.com/maps?q=-18.507%2C-70.255&z=17",
            "geo:-18.507,-70.255?z=15",
            "https://www.google.cl/maps/place/X/@1.0,2.0,17z/data=!3m1!4b1!4m5!3d-18.507!4d-70.255",
            "https://www.openstreetmap.org/?mlat=-18.507&mlon=-70.255#map=15",
            "https://maps.apple.com/?ll=-18.507,-70.255",
            "-18.507, -70.255",
            "estoy en (-18.507 -70.255)",
        ] {
            let point = take(link).1.point.unwrap_or_else(|| panic!("{link}"));
            if !link.contains("@1.0") {
                assert_eq!((point.lat, point.lon), (-18.507, -70.255), "{link}");
            }
        }
    }

    #[test]
    fn a_short_link_holds_no_coordinates_and_the_words_stay() {
        let (rest, located) = take("estoy aca https://maps.app.goo.gl/AbC123 que sitio hay");
        assert_eq!(
            located,
            Located {
                point: None,
                without_coordinates: true
            }
        );
        assert_eq!(
            rest.split_whitespace().collect::<Vec<_>>().join(" "),
            "estoy aca que sitio hay"
        );
    }

    #[test]
    fn other_links_and_figures_are_no_position() {
        for text in [
            "https://example.com/?q=1.5,2.5",
            "sitio 2, tarea 10001",
            "95.123,200.456",
            "mide 1.5, 2.5",
        ] {
            assert_eq!(take(text).1, Located::default(), "{text}");
        }
    }
}
