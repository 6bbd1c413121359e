//! Tells the linker where the dynamic `DuckDB` library lies at run time, so that a worker needs no environment.

fn main() {
    println!("cargo:rerun-if-env-changed=DUCKDB_LIB_DIR");
    let origin = if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        "@executable_path/../lib"
    } else {
        "$ORIGIN/../lib"
    };
    println!("cargo:rustc-link-arg=-Wl,-rpath,{origin}");
    if let Ok(directory) = std::env::var("DUCKDB_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
