//! Parameters: what we read from a text is what the server reads, and what we refuse it refuses with the same SQLSTATE.

use pintail_pgtypes::{Format, RenderSettings, decode_param, type_by_name};
use pintail_sqlstate::ToReport as _;

use crate::server::{Raw, Server};

const TEXTS: &[(&str, &[&str])] = &[
    (
        "bool",
        &[
            "t", "TRUE", " yes ", "on", "1", "f", "No", "of", "off", "0", "tr", "o", "", "2", "truee",
        ],
    ),
    ("int2", &["1", " -32768 ", "+7", "32768", "", "x", "1.0", "1 2"]),
    ("int4", &["2147483647", "-2147483648", "2147483648", "--1", "1e3"]),
    (
        "int8",
        &["9223372036854775807", "9223372036854775808", "-9223372036854775808"],
    ),
    ("oid", &["0", "4294967295", "-1", "4294967296", "a"]),
    (
        "float4",
        &[
            "1.5",
            "nan",
            "Infinity",
            "-inf",
            "1e39",
            "1e-60",
            "0",
            "-0",
            "1.17549435e-38",
            "x",
            "",
        ],
    ),
    (
        "float8",
        &[
            " 1e300 ",
            ".5",
            "5.",
            "1e400",
            "1e-400",
            "0e-400",
            "-Infinity",
            "NaN",
            "1_0",
            "1e",
        ],
    ),
    (
        "numeric",
        &[
            "1",
            "-1.50",
            "+.5",
            "5.",
            "1e3",
            "1.5e-3",
            "1E+5",
            " 12 ",
            "NaN",
            "inf",
            "-Infinity",
            "",
            ".",
            "1e",
            "1 2",
            "-nan",
            "123456789012345678901234567890123456789.123",
            "-0.00",
            "0.000000000000000000000000000000000000000000001",
            "1e200000",
            "1e-30000",
        ],
    ),
    ("text", &["", "a b", "é"]),
    (
        "bytea",
        &[
            "\\x",
            "\\xDEADbeef",
            "\\xde ad",
            "abc",
            "a\\\\b",
            "\\001\\377",
            "\\",
            "\\400",
            "\\12",
        ],
    ),
    (
        "date",
        &[
            "1999-01-08",
            "January 8, 1999",
            "1/8/1999",
            "1/18/1999",
            "01/02/03",
            "1999-Jan-08",
            "Jan-08-1999",
            "08-Jan-1999",
            "19990108",
            "990108",
            "1999.008",
            "1999-008",
            "January 8, 99 BC",
            "0044-03-15 BC",
            "infinity",
            "-infinity",
            "epoch",
            "1999-02-29",
            "2000-02-29",
            "1999-13-01",
            "1999-00-01",
            "0000-01-01",
            "x",
            "",
            "5874897-12-31",
            "5874898-01-01",
            "4714-11-24 BC",
            "4714-11-23 BC",
            "1999-01-08 04:05:06",
            "8 Jan 1999",
            "Fri Jan 8 1999",
            "1999 Jan 8",
            "2001-02-03T04:05:06Z",
            "17.12.1997",
            "99-01-08",
        ],
    ),
    (
        "time",
        &[
            "04:05:06.789",
            "04:05:06",
            "04:05",
            "040506",
            "04:05 AM",
            "04:05 PM",
            "12:00 AM",
            "12:30 pm",
            "24:00:00",
            "24:00:01",
            "23:59:60",
            "25:00",
            "04:65",
            "13:00 PM",
            "",
            "x",
            "allballs",
            "04:05:06.1234567",
            "23:59:59.9999999",
            "04:05:06-08",
            "2003-04-12 04:05:06",
        ],
    ),
    (
        "timetz",
        &[
            "04:05:06.789-8",
            "04:05:06-08:00",
            "04:05-08:00",
            "040506-08",
            "04:05:06 PST",
            "040506+0730",
            "04:05:06+07:30:15",
            "04:05:06z",
            "04:05:06+16",
        ],
    ),
    (
        "timestamp",
        &[
            "1999-01-08 04:05:06",
            "1999-01-08T04:05:06.5",
            "January 8 04:05:06 1999",
            "1999-01-08 04:05:06 -8:00",
            "19990108T040506",
            "Wed Dec 17 07:37:16 1997",
            "17 Dec 1997 7:37:16",
            "12/17/1997 07:37:16.00",
            "1999-01-08",
            "infinity",
            "-Infinity",
            "epoch",
            "0044-03-15 12:00:00 BC",
            "294246-12-31 23:59:59.999999",
            "294277-01-01",
            "4714-11-24 00:00:00 BC",
            "4714-11-23 23:59:59 BC",
            "1999-01-08 24:00:00",
            "1999-01-08 24:00:01",
            "1999-01-08 04:05:06.9999995",
            "1999-02-30 00:00",
            "1999-01-08 x",
            "1999-01-08 Mars/Base",
            "10:00",
        ],
    ),
    (
        "timestamptz",
        &[
            "1999-01-08 04:05:06+02",
            "1999-01-08 04:05:06",
            "1999-07-08 04:05:06",
            "1999-01-08 04:05:06 PST",
            "1999-07-08 04:05:06 America/Los_Angeles",
            "1999-01-08T04:05:06Z",
            "2021-03-14 02:30:00",
            "2021-11-07 01:30:00",
            "1883-11-18 12:00:00",
            "1500-01-01",
            "3000-07-01 12:00:00",
            "Wed Dec 17 07:37:16 1997 PST",
            "1999-01-08 04:05:06+05:30",
            "1999-01-08 04:05:06 UTC",
            "infinity",
            "-infinity",
            "epoch",
            "1999-01-08 04:05:06-0800",
        ],
    ),
    (
        "interval",
        &[
            "1 year 2 months 3 days 4 hours 5 minutes 6 seconds",
            "P1Y2M3DT4H5M6S",
            "P0001-02-03T04:05:06",
            "1-2",
            "3 4:05:06",
            "1-2 3 4:05:06",
            "@ 1 year 2 mons -3 days 4 hours 5 mins 6.5 secs ago",
            "-1 days",
            "1.5 days",
            "1.5 months",
            "1.5 years",
            "2 weeks",
            "1.5 weeks",
            "10",
            "04:05:06.789",
            "-04:05",
            "1 day -00:00:01",
            "PT0S",
            "P1W",
            "P-1Y2M",
            "PT-1.5S",
            "1 decade",
            "2 centuries",
            "1 millennium",
            "100 ms",
            "5 us",
            "1y2mons3d",
            "",
            "x",
            "1 x",
            "P",
            "PT",
            "1 year 1 day ago",
            "+1-2 -3 +4:05:06",
            "1 day 02:03",
            "-1-2",
            "0.1 seconds",
            "178956971 years",
            "4:65",
            "1.123456789 seconds",
            "-0.5 hours",
            "3 days 04:05:06.7",
        ],
    ),
    (
        "uuid",
        &[
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "A0EEBC999C0B4EF8BB6D6BB9BD380A11",
            "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
            "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11",
            "a0eebc99",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1g",
            "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "",
            "-a0eebc999c0b4ef8bb6d6bb9bd380a11",
        ],
    ),
    ("varbit", &["", "1", "0101", "b101", "x1F", "2"]),
    (
        "_int4",
        &[
            "{}",
            "{1,2,3}",
            "{1,NULL,3}",
            " { 1 , 2 } ",
            "{{1,2},{3,4}}",
            "{{1,2},{3}}",
            "{1,{2}}",
            "{{1},2}",
            "[0:1]={1,2}",
            "{1,2",
            "1,2",
            "{1,,2}",
            "{a}",
            "{1}}",
            "{\"1\"}",
            "{null}",
            "{{{{{{{1}}}}}}}",
        ],
    ),
    (
        "_text",
        &[
            "{a,\"b c\",NULL,\"NULL\",\"\"}",
            "{\"a\\\"b\",c\\\\d}",
            "{a b , c }",
            "{\\ a\\ }",
            "{a\"b}",
            "{}",
            "{\"a\"b}",
        ],
    ),
    ("_timestamptz", &["{\"1999-01-08 04:05:06+02\",infinity}"]),
    ("int2vector", &["1 2 3", "1 x"]),
];

#[tokio::test]
async fn texts_mean_what_they_mean_to_the_server() {
    let server = Server::start();
    let client = server.connect().await;
    client
        .batch_execute("SET TimeZone = 'America/New_York'")
        .await
        .expect("a setting");
    let settings = RenderSettings::parse("ISO, MDY", "postgres", "America/New_York", "hex", 1).expect("settings");
    let mut wrong = Vec::new();
    for &(name, texts) in TEXTS {
        let oid = type_by_name(name).expect("a known type").oid;
        let statement = client
            .prepare(&format!("SELECT $1::text::{name}"))
            .await
            .expect("a known type");
        for text in texts {
            let ours = decode_param(oid, Format::Text, Some(text.as_bytes()), &settings);
            let ours = ours.map_err(|error| error.to_report().sqlstate.to_string());
            let theirs = match client.query_one(&statement, &[text]).await {
                Ok(row) => {
                    let Raw(bytes) = row.get(0);
                    Ok(decode_param(oid, Format::Binary, Some(&bytes), &settings).expect("the server's own bytes"))
                }
                Err(error) => Err(error.code().expect("the server's error").code().to_owned()),
            };
            // NaN is equal to nothing, so values are compared as they print.
            if format!("{ours:?}") != format!("{theirs:?}") {
                wrong.push(format!("{name} {text:?}: {ours:?}, the server: {theirs:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
