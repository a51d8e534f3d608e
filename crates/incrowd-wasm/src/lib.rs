//! The web application as a WebAssembly module: what a worker of a page calls.
//!
//! Texts and bytes go in through `room` and come out through `answer` and `answer_length`. A call begins what takes long,
//! `work` does it. Where the browser can suspend a module, work lets the worker answer calls now and then.
#![cfg(target_family = "wasm")]
#![allow(
    unsafe_code,
    reason = "a module and its host hand each other bytes by their place in memory"
)]

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::time::{Duration, Instant};

use incrowd_web::InProcess;

thread_local! {
    static APP: RefCell<Option<InProcess>> = const { RefCell::new(None) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Whether work goes on: only that may be suspended, and not a call that comes in between.
    static WORKING: Cell<bool> = const { Cell::new(false) };
    static PAUSED: Cell<Option<Instant>> = const { Cell::new(None) };
}

#[link(wasm_import_module = "incrowd")]
unsafe extern "C" {
    /// Hands an event to the page, and waits until what has come for the worker meanwhile is answered, if it can.
    safe fn pause(text: *const u8, length: usize);
    /// Tells why the module is about to end.
    safe fn fault(text: *const u8, length: usize);
}

/// Work lets the page know how it goes so often.
const EVERY: Duration = Duration::from_millis(120);

fn app() -> InProcess {
    APP.with_borrow(Clone::clone).expect("begin is called first")
}

/// Called over and over while something is worked on.
fn on_pause() {
    if !WORKING.get() || PAUSED.get().is_some_and(|paused| paused.elapsed() < EVERY) {
        return;
    }
    let event = app().event();
    pause(event.as_ptr(), event.len());
    PAUSED.set(Some(Instant::now()));
}

fn answered(status: u32, bytes: Vec<u8>) -> u32 {
    ANSWER.set(bytes);
    status
}

/// Room for so many bytes, which the next call takes back.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// # Safety
/// It must come from `room`, and be taken once.
unsafe fn taken(at: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: as the caller promises.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, length)) }.into_vec()
}

/// Begins a session over the files of `/data`. 200, or not: then the answer says why.
#[unsafe(no_mangle)]
pub extern "C" fn begin() -> u32 {
    std::panic::set_hook(Box::new(|panic| {
        let why = panic.to_string();
        fault(why.as_ptr(), why.len());
    }));
    // The system knows no folder for them.
    let _ = tempfile::env::override_temp_dir(Path::new("/tmp"));
    // There is one thread, and no other can be had: work that could be parallel is done here.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    match InProcess::new(Path::new("/data"), on_pause) {
        Ok(app) => {
            APP.set(Some(app));
            200
        }
        Err(error) => answered(500, error.to_string().into_bytes()),
    }
}

/// A call of a page: its name, and a JSON object. The status as HTTP has it.
///
/// # Safety
/// Both must come from `room`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(
    name: *mut u8,
    name_length: usize,
    body: *mut u8,
    length: usize,
) -> u32 {
    // SAFETY: as the caller promises.
    let (name, body) = unsafe { (taken(name, name_length), taken(body, length)) };
    let working = WORKING.replace(false);
    let reply = app().call(&String::from_utf8_lossy(&name), &body);
    WORKING.set(working);
    answered(u32::from(reply.status), reply.body)
}

/// What a ticket is for. 200 if it is to be shown, 201 if it is a file whose name stands before the first line break.
///
/// # Safety
/// The code must come from `room`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fetch(code: *mut u8, length: usize) -> u32 {
    // SAFETY: as the caller promises.
    let code = unsafe { taken(code, length) };
    match app().fetch(&String::from_utf8_lossy(&code)) {
        Err(why) => answered(404, why.as_bytes().to_vec()),
        Ok((None, bytes)) => answered(200, bytes),
        Ok((Some(name), bytes)) => answered(201, [name.as_bytes(), b"\n", &bytes].concat()),
    }
}

/// Works on what was begun first, and tells whether there was anything.
#[unsafe(no_mangle)]
pub extern "C" fn work() -> u32 {
    WORKING.set(true);
    PAUSED.set(None);
    let did = app().step();
    WORKING.set(false);
    u32::from(did)
}

/// Saves the project in its file, and answers with where the session is.
#[unsafe(no_mangle)]
pub extern "C" fn event() -> u32 {
    // What went wrong stands in the state.
    let _ = app().save();
    answered(200, app().event().into_bytes())
}

/// Where the answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// How long the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    ANSWER.with_borrow(Vec::len)
}
