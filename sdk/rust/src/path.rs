// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::abi;
use crate::context::Context;
use crate::failure::Failure;
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::raw::c_char;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::io::{FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr;

const FOLLOW: u64 = 1;
const REPLACE: u64 = 2;
const ENOSYS: i32 = 38;
const EINVAL: i32 = 22;

/// A path whose directory is open: what std::fs does with [`Reached::path`] happens in that very directory,
/// whatever somebody puts in the place of a part of the path meanwhile.
pub struct Reached {
    _dir: OwnedFd,
    path: PathBuf,
}

impl Reached {
    /// For std::fs, for as long as this lives. The functions that follow a link at its end (`File::open`, `metadata`)
    /// follow one of anybody: use `read_link`, `symlink_metadata`, `remove_file`, `create_dir`.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn text(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| io::Error::from_raw_os_error(EINVAL))
}

impl<'a> Context<'a> {
    fn paths(&self) -> Option<&'a abi::Path> {
        let found = unsafe { (self.host().extension)(self.raw(), abi::PATH_ID.as_ptr().cast::<c_char>()) };

        unsafe { found.cast::<abi::Path>().as_ref() }
    }

    /// Walks an absolute path as root has to: no symbolic link that an ordinary user could have made is followed, except,
    /// with `follow`, a safe one at the end. Nothing needs to be there yet; the directory that it is in has to.
    pub fn reach(&self, path: &Path, follow: bool) -> io::Result<Reached> {
        let ext = self.paths().ok_or_else(|| io::Error::from_raw_os_error(ENOSYS))?;
        let flags = if follow { FOLLOW } else { 0 };
        let mut name = ptr::null();
        let fd = unsafe { (ext.parent)(self.raw(), text(path)?.as_ptr(), flags, &mut name) };

        if fd < 0 {
            return Err(io::Error::from_raw_os_error(-fd));
        }
        let dir = unsafe { OwnedFd::from_raw_fd(fd) };
        let name = OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes());
        let path = Path::new("/proc/self/fd").join(fd.to_string()).join(name);
        Ok(Reached { _dir: dir, path })
    }

    /// Puts a symbolic link in its place, in one step: in the place of a link, or, with `replace`, of a file.
    pub fn symlink(&self, target: &Path, path: &Path, replace: bool) -> io::Result<()> {
        let ext = self.paths().ok_or_else(|| io::Error::from_raw_os_error(ENOSYS))?;
        let flags = if replace { REPLACE } else { 0 };

        match unsafe { (ext.symlink)(self.raw(), text(target)?.as_ptr(), text(path)?.as_ptr(), flags) } {
            0 => Ok(()),
            number => Err(io::Error::from_raw_os_error(-number)),
        }
    }

    /// What failed in one of these, as [`Failure::because`], and which part of the path is not safe if that is why.
    pub fn path_failure(&self, message: impl Into<String>, error: &io::Error) -> Failure {
        let why = self.paths().map_or(ptr::null(), |ext| unsafe { (ext.r#unsafe)(self.raw()) });

        if why.is_null() {
            return Failure::because(message, error);
        }
        Failure::new(format!("{}: {}", message.into(), unsafe { CStr::from_ptr(why) }.to_string_lossy()))
    }
}
