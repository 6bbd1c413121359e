//! The session settings that decide how values look, from the strings that a statement's ticket carries.

use crate::Error;
use crate::zone::TimeZone;

/// The first word of `DateStyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateFormat {
    /// `1997-12-17 07:37:16-08`
    #[default]
    Iso,
    /// `12/17/1997 07:37:16.00 PST`
    Sql,
    /// `Wed Dec 17 07:37:16 1997 PST`
    Postgres,
    /// `17.12.1997 07:37:16.00 PST`
    German,
}

/// The second word of `DateStyle`: the order of fields in ambiguous dates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateOrder {
    /// Month, day, year.
    #[default]
    Mdy,
    /// Day, month, year.
    Dmy,
    /// Year, month, day.
    Ymd,
}

/// `DateStyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateStyle {
    /// How dates are written.
    pub format: DateFormat,
    /// How ambiguous dates are read, and in which order two formats write.
    pub order: DateOrder,
}

/// `IntervalStyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalStyle {
    /// `1 year 2 mons -3 days +04:05:06`
    #[default]
    Postgres,
    /// `@ 1 year 2 mons -3 days 4 hours 5 mins 6 secs`
    PostgresVerbose,
    /// `+1-2 -3 +4:05:06`
    SqlStandard,
    /// `P1Y2M-3DT4H5M6S`
    Iso8601,
}

/// `bytea_output`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteaOutput {
    /// `\xdeadbeef`
    #[default]
    Hex,
    /// Octal escapes for what does not print.
    Escape,
}

/// Everything that text output depends on, and what text input of dates and times depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderSettings {
    /// `DateStyle`.
    pub date_style: DateStyle,
    /// `IntervalStyle`.
    pub interval_style: IntervalStyle,
    /// `TimeZone`.
    pub time_zone: TimeZone,
    /// `bytea_output`.
    pub bytea_output: ByteaOutput,
    /// `extra_float_digits`; above 0 means the shortest text that reads back the same.
    pub extra_float_digits: i32,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self {
            date_style: DateStyle::default(),
            interval_style: IntervalStyle::default(),
            time_zone: TimeZone::UTC,
            bytea_output: ByteaOutput::default(),
            extra_float_digits: 1,
        }
    }
}

impl RenderSettings {
    /// Reads the settings' values as `SHOW` prints them; an empty string is the default.
    pub fn parse(
        date_style: &str,
        interval_style: &str,
        time_zone: &str,
        bytea_output: &str,
        extra_float_digits: i32,
    ) -> Result<Self, Error> {
        Ok(Self {
            date_style: DateStyle::parse(date_style)?,
            interval_style: IntervalStyle::parse(interval_style)?,
            time_zone: TimeZone::parse(time_zone)?,
            bytea_output: match bytea_output.to_ascii_lowercase().as_str() {
                "" | "hex" => ByteaOutput::Hex,
                "escape" => ByteaOutput::Escape,
                _ => return Err(bad("bytea_output", bytea_output)),
            },
            extra_float_digits: match extra_float_digits {
                -15..=3 => extra_float_digits,
                _ => return Err(bad("extra_float_digits", &extra_float_digits.to_string())),
            },
        })
    }
}

impl DateStyle {
    /// Reads a comma-separated `DateStyle`; words that are absent keep their defaults, as a fresh session's `SET` would.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut style = Self::default();
        let words = text.split([',', ' ']).filter(|word| !word.is_empty());
        let mut order = None;
        for word in words {
            match word.to_ascii_lowercase().as_str() {
                "iso" => style.format = DateFormat::Iso,
                "sql" => style.format = DateFormat::Sql,
                "postgres" => style.format = DateFormat::Postgres,
                "german" => {
                    style.format = DateFormat::German;
                    order = order.or(Some(DateOrder::Dmy));
                }
                "mdy" | "us" | "noneuropean" | "noneuro" => order = Some(DateOrder::Mdy),
                "dmy" | "european" | "euro" => order = Some(DateOrder::Dmy),
                "ymd" => order = Some(DateOrder::Ymd),
                "default" => style = Self::default(),
                _ => return Err(bad("DateStyle", text)),
            }
        }
        style.order = order.unwrap_or(style.order);
        Ok(style)
    }
}

impl IntervalStyle {
    /// Reads an `IntervalStyle`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text.to_ascii_lowercase().as_str() {
            "" | "postgres" => Ok(Self::Postgres),
            "postgres_verbose" => Ok(Self::PostgresVerbose),
            "sql_standard" => Ok(Self::SqlStandard),
            "iso_8601" => Ok(Self::Iso8601),
            _ => Err(bad("IntervalStyle", text)),
        }
    }
}

fn bad(name: &'static str, value: &str) -> Error {
    Error::BadSetting {
        name,
        value: value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_show_prints() {
        let settings = RenderSettings::parse("German, DMY", "iso_8601", "Europe/Berlin", "escape", 0).expect("valid");
        assert_eq!(settings.date_style.format, DateFormat::German);
        assert_eq!(settings.date_style.order, DateOrder::Dmy);
        assert_eq!(settings.interval_style, IntervalStyle::Iso8601);
        assert_eq!(settings.bytea_output, ByteaOutput::Escape);
        assert_eq!(
            RenderSettings::parse("", "", "", "", 1).expect("defaults"),
            RenderSettings::default()
        );
    }

    #[test]
    fn refuses_what_no_setting_can_be() {
        for (date, interval, zone, bytea) in [
            ("ISO, XYZ", "", "", ""),
            ("", "x", "", ""),
            ("", "", "Mars/Base", ""),
            ("", "", "", "x"),
        ] {
            assert!(matches!(
                RenderSettings::parse(date, interval, zone, bytea, 1),
                Err(Error::BadSetting { .. })
            ));
        }
        assert!(RenderSettings::parse("", "", "", "", 9).is_err());
    }
}
