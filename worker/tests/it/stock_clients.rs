//! Standard Flight SQL, as a stock client speaks it.

use std::sync::Arc;

use anyhow::{Context, Result};
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_flight::sql::client::FlightSqlServiceClient;
use arrow_flight::sql::{
    CommandStatementIngest, SqlInfo, TableDefinitionOptions, TableExistsOption, TableNotExistOption,
};
use arrow_schema::{DataType, Field, Schema};
use futures::TryStreamExt;
use hyper_util::rt::TokioIo;
use tonic::transport::{Channel, Endpoint};

use crate::harness::TestWorker;

async fn stock_client(worker: &TestWorker) -> Result<FlightSqlServiceClient<Channel>> {
    let socket = worker.bootstrap.socket.clone();
    let connect = tower::service_fn(move |_| {
        let socket = socket.clone();
        async move { tokio::net::UnixStream::connect(socket).await.map(TokioIo::new) }
    });
    let channel = Endpoint::from_static("http://localhost")
        .connect_with_connector(connect)
        .await?;
    let mut client = FlightSqlServiceClient::new(channel);
    client.set_token("a-token".to_owned());
    Ok(client)
}

async fn query(client: &mut FlightSqlServiceClient<Channel>, sql: &str) -> Result<Vec<RecordBatch>> {
    let info = client.execute(sql.to_owned(), None).await?;
    let ticket = info.endpoint[0].ticket.clone().context("a ticket")?;
    Ok(client.do_get(ticket).await?.try_collect().await?)
}

#[tokio::test]
async fn queries_updates_and_transactions() -> Result<()> {
    let worker = TestWorker::start_with(|_| {}, &[]).await?;
    let mut client = stock_client(&worker).await?;
    client
        .execute_update("CREATE TABLE t (i INTEGER, v VARCHAR)".into(), None)
        .await?;
    assert_eq!(
        client
            .execute_update("INSERT INTO t SELECT i, 'v' || i FROM range(5000) r(i)".into(), None)
            .await?,
        5000
    );
    let batches = query(&mut client, "SELECT i, v FROM t ORDER BY i").await?;
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 5000);
    let values = batches[0]
        .column(1)
        .as_any()
        .downcast_ref::<StringArray>()
        .context("text")?;
    assert_eq!(values.value(7), "v7");
    assert!(query(&mut client, "CREATE TABLE u (i INTEGER)").await?.is_empty());
    assert!(query(&mut client, "SELECT * FROM nope").await.is_err());
    let transaction = client.begin_transaction().await?;
    client
        .execute_update("DELETE FROM t".into(), Some(transaction.clone()))
        .await?;
    client
        .end_transaction(transaction, arrow_flight::sql::EndTransaction::Rollback)
        .await?;
    let count = query(&mut client, "SELECT count(*) FROM t").await?;
    let count = count[0]
        .column(0)
        .as_any()
        .downcast_ref::<Int64Array>()
        .context("a count")?;
    assert_eq!(count.value(0), 5000);
    Ok(())
}

#[tokio::test]
async fn prepared_statements_and_information() -> Result<()> {
    let worker = TestWorker::start_with(|_| {}, &[]).await?;
    let mut client = stock_client(&worker).await?;
    let mut prepared = client.prepare("SELECT 42::INTEGER AS answer".into(), None).await?;
    assert_eq!(prepared.dataset_schema()?.field(0).name(), "answer");
    for _ in 0..2 {
        let info = prepared.execute().await?;
        let ticket = info.endpoint[0].ticket.clone().context("a ticket")?;
        let batches: Vec<RecordBatch> = client.do_get(ticket).await?.try_collect().await?;
        let values = batches[0]
            .column(0)
            .as_any()
            .downcast_ref::<Int32Array>()
            .context("numbers")?;
        assert_eq!(values.value(0), 42);
    }
    prepared.close().await?;
    let info = client.get_sql_info(vec![SqlInfo::FlightSqlServerName]).await?;
    let ticket = info.endpoint[0].ticket.clone().context("a ticket")?;
    let batches: Vec<RecordBatch> = client.do_get(ticket).await?.try_collect().await?;
    assert_eq!(batches[0].num_rows(), 1);
    Ok(())
}

#[tokio::test]
async fn batches_are_ingested() -> Result<()> {
    let worker = TestWorker::start_with(|_| {}, &[]).await?;
    let mut client = stock_client(&worker).await?;
    let schema = Schema::new(vec![
        Field::new("i", DataType::Int64, true),
        Field::new("v", DataType::Utf8, true),
    ]);
    let schema = Arc::new(schema);
    let numbers: Int64Array = (0..10_000).map(|i| (i % 7 != 0).then_some(i)).collect();
    let texts: StringArray = (0..10_000).map(|i| (i % 5 != 0).then(|| format!("text {i}"))).collect();
    let batch = RecordBatch::try_new(schema, vec![Arc::new(numbers), Arc::new(texts)])?;
    let options = |exists: TableExistsOption| TableDefinitionOptions {
        if_not_exist: TableNotExistOption::Create.into(),
        if_exists: exists.into(),
    };
    for (exists, expected) in [
        (TableExistsOption::Fail, 20_000),
        (TableExistsOption::Append, 40_000),
        (TableExistsOption::Replace, 20_000),
    ] {
        let command = CommandStatementIngest {
            table_definition_options: Some(options(exists)),
            table: "loaded".into(),
            schema: None,
            catalog: None,
            temporary: false,
            transaction_id: None,
            options: std::collections::HashMap::default(),
        };
        let batches = futures::stream::iter([Ok(batch.clone()), Ok(batch.clone())]);
        assert_eq!(client.execute_ingest(command, batches).await?, 20_000);
        let count = query(&mut client, "SELECT count(*), count(i), max(v) FROM loaded").await?;
        let count = count[0]
            .column(0)
            .as_any()
            .downcast_ref::<Int64Array>()
            .context("a count")?;
        assert_eq!(count.value(0), expected);
    }
    let nulls = query(&mut client, "SELECT i, v FROM loaded WHERE i IS NULL AND v IS NULL").await?;
    assert!(nulls[0].column(1).is_null(0));
    Ok(())
}
