//! A point on the Earth and the distance between two.

use serde::{Deserialize, Serialize};

/// Mean Earth radius, km (`catalog.toml`, definitions.distance).
const EARTH_RADIUS_KM: f64 = 6371.0088;

/// A position in degrees, WGS 84. Latitude within ±90, longitude within ±180, both finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawPoint")]
pub struct Point {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
}

#[derive(Deserialize)]
struct RawPoint {
    lat: f64,
    lon: f64,
}

impl TryFrom<RawPoint> for Point {
    type Error = BadPoint;
    fn try_from(raw: RawPoint) -> Result<Self, BadPoint> {
        Self::new(raw.lat, raw.lon)
    }
}

/// The pair is no position on the Earth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a location is a latitude within ±90 and a longitude within ±180, in degrees")]
pub struct BadPoint;

impl Point {
    /// A point, when both figures are finite and in range.
    pub fn new(lat: f64, lon: f64) -> Result<Self, BadPoint> {
        let sound = lat.is_finite() && lon.is_finite() && lat.abs() <= 90.0 && lon.abs() <= 180.0;
        sound.then_some(Self { lat, lon }).ok_or(BadPoint)
    }

    /// Reads `-33.45,-70.66` with any spaces around the figures.
    pub fn parse(text: &str) -> Result<Self, BadPoint> {
        let (lat, lon) = text.split_once(',').ok_or(BadPoint)?;
        let lat = lat.trim().parse().map_err(|_| BadPoint)?;
        let lon = lon.trim().parse().map_err(|_| BadPoint)?;
        Self::new(lat, lon)
    }

    /// Great-circle distance in km (haversine).
    pub fn distance_km(self, other: Self) -> f64 {
        let (lat1, lat2) = (self.lat.to_radians(), other.lat.to_radians());
        let half_lat = (lat2 - lat1) / 2.0;
        let half_lon = (other.lon - self.lon).to_radians() / 2.0;
        let h = half_lat.sin().powi(2) + lat1.cos() * lat2.cos() * half_lon.sin().powi(2);
        2.0 * EARTH_RADIUS_KM * h.sqrt().min(1.0).asin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn santiago_to_arica_is_about_1664_km() {
        let santiago = Point::parse("-33.4489, -70.6693").unwrap();
        let arica = Point::parse("-18.4783,-70.3126").unwrap();
        assert!((santiago.distance_km(arica) - 1665.0).abs() < 3.0);
        assert_eq!(santiago.distance_km(santiago), 0.0);
    }

    #[test]
    fn a_point_off_the_earth_is_refused() {
        for text in ["", "1", "91,0", "0,181", "nan,0", "inf,1", "a,b"] {
            assert!(Point::parse(text).is_err(), "{text}");
        }
    }
}
