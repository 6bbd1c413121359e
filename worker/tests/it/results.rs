//! Results: shapes, counts, large ones, prepared ones.

use anyhow::Result;
use pintail_worker_api::messages::{Execute, Param, Prepare};

use crate::harness::{TestWorker, text};

#[tokio::test]
async fn a_small_result_is_one_message() -> Result<()> {
    let worker = TestWorker::start().await?;
    let answer = worker.sql("SELECT 1 AS one, 'é' AS text, NULL::VARCHAR").await?;
    assert_eq!(answer.messages, 1);
    assert_eq!(answer.rows, [[Some("1".to_owned()), Some("é".to_owned()), None]]);
    assert_eq!(answer.oids(), [23, 25, 25]);
    assert_eq!(answer.trailer.count, 1);
    Ok(())
}

#[tokio::test]
async fn counts_and_ddl_return_no_rows() -> Result<()> {
    let worker = TestWorker::start().await?;
    let created = worker.sql("CREATE TABLE t (i INTEGER)").await?;
    assert!(!created.header.returns_rows);
    let inserted = worker.sql("INSERT INTO t SELECT * FROM range(10)").await?;
    assert!(!inserted.header.returns_rows);
    assert_eq!(inserted.trailer.count, 10);
    assert_eq!(worker.sql("DELETE FROM t WHERE i < 3").await?.trailer.count, 3);
    let returned = worker.sql("INSERT INTO t VALUES (1) RETURNING i").await?;
    assert!(returned.header.returns_rows);
    assert_eq!(returned.rows, [[Some("1".to_owned())]]);
    assert_eq!(worker.sql("BEGIN").await?.messages, 1);
    worker.sql("INSERT INTO t VALUES (99)").await?;
    worker.sql("ROLLBACK").await?;
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "8");
    Ok(())
}

#[tokio::test]
async fn a_large_result_comes_in_frames() -> Result<()> {
    let worker = TestWorker::start().await?;
    let answer = worker.sql("SELECT i, 'row ' || i FROM range(300000) t(i)").await?;
    assert_eq!(answer.rows.len(), 300_000);
    assert_eq!(answer.trailer.count, 300_000);
    assert_eq!(answer.rows[299_999][1].as_deref(), Some("row 299999"));
    assert!(
        answer.messages > 3 && answer.messages < 60,
        "{} messages",
        answer.messages
    );
    Ok(())
}

#[tokio::test]
async fn a_prepared_statement_is_described_and_runs_many_times() -> Result<()> {
    let worker = TestWorker::start().await?;
    let request = Prepare {
        sql: "SELECT $1::INTEGER + 1 AS next, $2::VARCHAR".into(),
        param_oids: vec![],
        ..Prepare::default()
    };
    let prepared = worker.client.prepare(&request).await?;
    assert!(prepared.returns_rows);
    assert_eq!(prepared.param_oids, [23, 25]);
    assert_eq!(prepared.columns[0].name, "next");
    assert_eq!(prepared.columns[0].type_oid, 23);
    for number in 0..8 {
        let param = |text: String| Param {
            format: 0,
            value: Some(text.into()),
            type_oid: 0,
        };
        let params = vec![param(number.to_string()), param("x".into())];
        let answer = worker
            .run(Execute {
                handle: prepared.handle,
                params,
                want: Some(text()),
                ..Execute::default()
            })
            .await?;
        assert_eq!(answer.value(), (number + 1).to_string());
        assert_eq!(answer.messages, 1);
    }
    worker.client.close_statement(prepared.handle).await?;
    assert!(
        worker
            .run(Execute {
                handle: prepared.handle,
                ..Execute::default()
            })
            .await
            .is_err()
    );
    Ok(())
}

#[tokio::test]
async fn a_pivot_is_prepared_and_run() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker
        .sql("CREATE TABLE sales (year INTEGER, city VARCHAR, amount INTEGER)")
        .await?;
    worker
        .sql("INSERT INTO sales VALUES (2020, 'a', 1), (2021, 'a', 2), (2020, 'b', 3)")
        .await?;
    let pivot = "PIVOT sales ON year USING sum(amount) GROUP BY city ORDER BY city";
    assert_eq!(worker.sql(pivot).await?.rows.len(), 2);
    let prepared = worker
        .client
        .prepare(&Prepare {
            sql: pivot.into(),
            param_oids: vec![],
            ..Prepare::default()
        })
        .await?;
    assert_eq!(prepared.columns.len(), 3);
    let execute = Execute {
        handle: prepared.handle,
        want: Some(text()),
        ..Execute::default()
    };
    assert_eq!(worker.run(execute).await?.value(), "a");
    Ok(())
}

#[tokio::test]
async fn describing_an_insert_inserts_nothing() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker.sql("CREATE TABLE t (i INTEGER, v VARCHAR)").await?;
    let plain = Prepare {
        sql: "INSERT INTO t VALUES ($1, $2)".into(),
        param_oids: vec![],
        ..Prepare::default()
    };
    let prepared = worker.client.prepare(&plain).await?;
    assert!(!prepared.returns_rows);
    assert_eq!(prepared.param_oids, [23, 25]);
    let returning = Prepare {
        sql: "INSERT INTO t VALUES (1, 'a') RETURNING v".into(),
        param_oids: vec![],
        ..Prepare::default()
    };
    let prepared = worker.client.prepare(&returning).await?;
    assert!(prepared.returns_rows);
    assert_eq!(prepared.columns.len(), 1);
    assert_eq!(worker.sql("SELECT count(*) FROM t").await?.value(), "0");
    Ok(())
}
