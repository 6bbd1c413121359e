use std::time::Duration;

use super::*;

fn message(byte: u8, size: usize) -> FlightData {
    FlightData {
        data_body: vec![byte; size].into(),
        ..FlightData::default()
    }
}

fn outlet(directory: &tempfile::TempDir) -> Arc<Outlet> {
    Arc::new(Outlet::new(Arc::from(directory.path())))
}

#[tokio::test]
async fn what_was_set_aside_comes_back_in_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let outlet = outlet(&directory);
    outlet.set_aside();
    for byte in 0..40 {
        outlet.push(message(byte, 1 << 20)).expect("wanted");
    }
    outlet.finish(Ok(()));
    for byte in 0..40 {
        let got = outlet.next().await.expect("a message").expect("no error");
        assert_eq!((got.data_body[0], got.data_body.len()), (byte, 1 << 20));
    }
    assert!(outlet.next().await.is_none());
    assert_eq!(std::fs::read_dir(directory.path()).expect("the directory").count(), 0);
}

#[tokio::test]
async fn a_full_outlet_holds_the_engine_back_until_it_is_told_otherwise() {
    let directory = tempfile::tempdir().expect("a directory");
    let outlet = outlet(&directory);
    let pusher = Arc::clone(&outlet);
    let thread = std::thread::spawn(move || {
        (0..20)
            .map(|byte| pusher.push(message(byte, 1 << 20)))
            .filter_map(Result::ok)
            .count()
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!thread.is_finished());
    outlet.set_aside();
    assert_eq!(thread.join().expect("no panic"), 20);
}

#[tokio::test]
async fn a_stop_wakes_both_sides() {
    let directory = tempfile::tempdir().expect("a directory");
    let outlet = outlet(&directory);
    let pusher = Arc::clone(&outlet);
    let thread = std::thread::spawn(move || (0..20).all(|byte| pusher.push(message(byte, 1 << 20)).is_ok()));
    tokio::time::sleep(Duration::from_millis(20)).await;
    outlet.stop(StopReason::Timeout);
    assert!(!thread.join().expect("no panic"));
    assert!(matches!(
        outlet.next().await,
        Some(Err(Error::Stopped(StopReason::Timeout)))
    ));
    assert!(outlet.next().await.is_none());
}

#[tokio::test]
async fn an_error_follows_the_rows_before_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let outlet = outlet(&directory);
    outlet.push(message(1, 10)).expect("wanted");
    outlet.finish(Err(Error::SpoolFull));
    assert!(matches!(outlet.next().await, Some(Ok(_))));
    assert!(matches!(outlet.next().await, Some(Err(Error::SpoolFull))));
}
