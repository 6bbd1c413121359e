use super::*;

fn numbers(text: &str) -> Vec<usize> {
    placeholders(text).into_iter().map(|(_, _, number)| number).collect()
}

#[test]
fn only_placeholders_are_found() {
    assert_eq!(
        numbers("SELECT $1, $22 + a$3, '$4', \"$5\", $$ $6 $$, $a$ $7 $a$ -- $8\n, $9 /* $10 /* */ $11 */ $12"),
        [1, 22, 9, 12]
    );
    assert_eq!(numbers(r"SELECT E'\' $1', 'a''$2', $3"), [3]);
    assert_eq!(numbers("SELECT $"), [] as [usize; 0]);
    assert_eq!(numbers("SELECT é$1, $2 || 'unclosed $3"), [2]);
}

#[test]
fn statements_are_told_apart() {
    assert!(has_several_statements("SELECT 1; SELECT 2"));
    assert!(!has_several_statements("SELECT ';' -- ; x\n ; /* y */ "));
}

#[test]
fn casts_are_put_around_them_and_positions_lead_back() {
    let text = "SELECT $1, 'é', $2 FROM x";
    let casted = Casted::new(text, |number| (number == 2).then_some("INTEGER"));
    assert_eq!(casted.text, "SELECT $1, 'é', CAST($2 AS INTEGER) FROM x");
    assert_eq!(casted.original_position(1), 1);
    assert_eq!(casted.original_position(17), 17);
    assert_eq!(casted.original_position(22), 17);
    assert_eq!(casted.original_position(42), 25);
    assert_eq!(Casted::plain(text).original_position(9), 9);
}

#[test]
fn a_quantified_placeholder_becomes_a_plain_one() {
    let plain = |text: &str| unquantified(text);
    assert_eq!(
        plain("a = ANY($2) AND b = $1"),
        Some(("a = $2 AND b = $1".into(), vec![2]))
    );
    assert_eq!(
        plain("ä <> all ( $1 ) OR b = SOME($3)"),
        Some(("ä <> $1  OR b = $3".replace("$1  ", "$1 "), vec![1, 3]))
    );
    assert_eq!(plain("a = ANY('($1)') AND many($1)"), None);
    assert_eq!(plain("a = ANY($1 || b)"), None);
    assert_eq!(plain("($1)"), None);
}
