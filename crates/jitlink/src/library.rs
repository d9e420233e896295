//! The library and its functions.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Symbol;

use crate::Input;

/// How the functions of a library are called.
#[derive(Clone, Copy, Debug)]
struct Names {
    before: &'static str,
    after: &'static str,
}

/// nvJitLink: libraries of later releases still have the functions of 12.0.
const JIT_LINK: Names = Names { before: "__nvJitLink", after: "_12_0" };
/// The driver's compiler.
const COMPILER: Names = Names { before: "nvPTXCompiler", after: "" };

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle, u32, *const *const c_char) -> c_int;
type CreateOf = unsafe extern "C" fn(*mut Handle, usize, *const c_char) -> c_int;
type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int;
type AddData = unsafe extern "C" fn(Handle, c_int, *const c_void, usize, *const c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Handle) -> c_int;
type OfHandle = unsafe extern "C" fn(Handle) -> c_int;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> c_int;
type Bytes = unsafe extern "C" fn(Handle, *mut c_char) -> c_int;

/// The library, opened.
pub struct Library {
    opened: libloading::Library,
    names: Names,
}

impl Library {
    /// Opens the file.
    pub fn open(path: &Path) -> Result<Library, String> {
        // SAFETY: runs the library's constructors; this process exists for that alone.
        let opened = unsafe { libloading::Library::new(path) };
        let opened = opened.map_err(|e| format!("cannot open {}: {e}", path.display()))?;
        let driver = Library { opened, names: COMPILER };
        // SAFETY: the type is that of NVIDIA's header; it is not called here.
        let names = match unsafe { driver.function::<Compile>("Compile") } {
            Ok(_) => COMPILER,
            Err(_) => JIT_LINK,
        };
        Ok(Library { names, ..driver })
    }

    /// The machine code of all inputs together; the error is the library's own
    /// complaint.
    pub fn convert(&self, inputs: &[Input], options: &[String]) -> Result<Vec<u8>, String> {
        let options = options.iter().map(|o| CString::new(o.as_str()));
        let options: Vec<CString> = options.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
        let (handle, made) = match (self.names.after, inputs) {
            ("", [text]) if text.is_text() => self.compiled(text, &options)?,
            ("", _) => return Err("the driver's compiler converts one text of PTX".into()),
            _ => self.linked(inputs, &options)?,
        };
        let made = made.map_err(|what| self.complaint(handle).unwrap_or(what));
        let mut handle = handle;
        // SAFETY: the type is that of NVIDIA's header.
        if let Ok(destroy) = unsafe { self.function::<Destroy>("Destroy") } {
            // SAFETY: a handle that `Create` gave, and that is not used any more.
            unsafe { destroy(&mut handle) };
        }
        made
    }

    /// Something under way, and the code of a text.
    fn compiled(&self, text: &Input, options: &[CString]) -> Result<Made, String> {
        let (mut handle, pointers): (Handle, _) = (ptr::null_mut(), pointers(options));
        // SAFETY: types as in NVIDIA's header.
        let (create, compile) =
            unsafe { (self.function::<CreateOf>("Create")?, self.function::<Compile>("Compile")?) };
        // SAFETY: the text and the zero that ends it, alive until the handle is destroyed.
        let code = unsafe { create(&mut handle, text.bytes.len() - 1, text.bytes.as_ptr().cast()) };
        if code != 0 || handle.is_null() {
            return Err(format!("{} refuses: error {code}", self.name("Create")));
        }
        // SAFETY: a handle with a text; as many strings as it is told.
        let code = unsafe { compile(handle, pointers.len() as c_int, pointers.as_ptr()) };
        let made = self.succeeded("Compile", code);
        Ok((
            handle,
            made.and_then(|()| self.bytes(handle, "GetCompiledProgramSize", "GetCompiledProgram")),
        ))
    }

    /// Something under way, and the code of all inputs together.
    fn linked(&self, inputs: &[Input], options: &[CString]) -> Result<Made, String> {
        let (mut handle, pointers): (Handle, _) = (ptr::null_mut(), pointers(options));
        // SAFETY: the function's type is that of NVIDIA's header for every release of 12.
        let create: Symbol<'_, Create> = unsafe { self.function("Create") }?;
        // SAFETY: as many strings as it is told, all alive during the call.
        let code = unsafe { create(&mut handle, pointers.len() as u32, pointers.as_ptr()) };
        if code != 0 || handle.is_null() {
            return Err(format!("nvJitLinkCreate refuses ({}): error {code}", joined(options)));
        }
        Ok((handle, self.link(handle, inputs)))
    }

    fn link(&self, handle: Handle, inputs: &[Input]) -> Result<Vec<u8>, String> {
        // SAFETY: types as in NVIDIA's header.
        let (add, complete) = unsafe {
            (self.function::<AddData>("AddData")?, self.function::<OfHandle>("Complete")?)
        };
        for input in inputs {
            let (bytes, name) = (&input.bytes, input.name.as_ptr());
            // SAFETY: the library copies what it is given; both live through the call.
            let code = unsafe { add(handle, input.kind, bytes.as_ptr().cast(), bytes.len(), name) };
            self.succeeded("AddData", code)?;
        }
        // SAFETY: a handle with input.
        self.succeeded("Complete", unsafe { complete(handle) })?;
        self.bytes(handle, "GetLinkedCubinSize", "GetLinkedCubin")
    }

    /// What the library has to say about a failure.
    fn complaint(&self, handle: Handle) -> Option<String> {
        let log = self.bytes(handle, "GetErrorLogSize", "GetErrorLog").ok()?;
        let text = String::from_utf8_lossy(&log);
        let text = text.trim_end_matches('\0').trim();
        (!text.is_empty()).then(|| text.to_string())
    }

    /// Something that is asked for by its size first.
    fn bytes(&self, handle: Handle, size: &str, get: &str) -> Result<Vec<u8>, String> {
        // SAFETY: types as in NVIDIA's header.
        let (ask, fetch) = unsafe { (self.function::<Size>(size)?, self.function::<Bytes>(get)?) };
        let mut len = 0;
        // SAFETY: writes one number.
        self.succeeded(size, unsafe { ask(handle, &mut len) })?;
        let mut bytes = vec![0u8; len];
        // SAFETY: writes as many bytes as it said.
        self.succeeded(get, unsafe { fetch(handle, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    /// A function of the library.
    ///
    /// # Safety
    /// `T` must be its type.
    unsafe fn function<T>(&self, name: &str) -> Result<Symbol<'_, T>, String> {
        let name = self.name(name);
        // SAFETY: the caller knows the type.
        unsafe { self.opened.get(name.as_bytes()) }.map_err(|e| format!("no converter: {e}"))
    }

    fn name(&self, of: &str) -> String {
        format!("{}{of}{}", self.names.before, self.names.after)
    }

    fn succeeded(&self, call: &str, code: c_int) -> Result<(), String> {
        match code {
            0 => Ok(()),
            code => Err(format!("{}: error {code}", self.name(call))),
        }
    }
}

/// A handle that has to be destroyed, and what came of it.
type Made = (Handle, Result<Vec<u8>, String>);

fn pointers(options: &[CString]) -> Vec<*const c_char> {
    options.iter().map(|o| o.as_ptr()).collect()
}

fn joined(options: &[CString]) -> String {
    options.iter().map(|o| o.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
