//! What processes hold.

/// Resident memory of a process, KiB; 0 where it cannot be read.
pub fn resident(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let amount = line.and_then(|rest| rest.split_whitespace().next());
    amount.and_then(|amount| amount.parse().ok()).unwrap_or(0)
}
