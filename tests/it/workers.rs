//! A worker's memory stays flat under a large result and a slow client.

use std::time::Duration;

use futures::{TryStreamExt, pin_mut};
use pintail_tests::{Installation, resident};

#[tokio::test]
#[cfg(target_os = "linux")]
async fn memory_is_flat_while_millions_of_rows_stream() {
    let installation = Installation::start().expect("start");
    let client = installation.connect().await.expect("connect");
    let rows = client
        .query_raw::<_, i32, _>(
            "SELECT i::int8, 'some text of a row ' || i FROM range(50000000) AS t(i)",
            [],
        )
        .await
        .expect("stream");
    pin_mut!(rows);
    let server = installation.pid().expect("running");
    let measure = || installation.workers().into_iter().map(resident).max().unwrap_or(0) + resident(server);
    let mut base = 0;
    let mut highest = 0;
    // Two million rows with pauses: a server that buffered would have run far ahead of this client.
    for count in 0..2_000_000u32 {
        rows.try_next().await.expect("row").expect("more");
        if count % 200_000 == 100_000 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let now = measure();
            if base == 0 {
                base = now;
            }
            highest = highest.max(now);
        }
    }
    assert!(highest < base + 64 * 1024, "from {base} kB to {highest} kB");
}
