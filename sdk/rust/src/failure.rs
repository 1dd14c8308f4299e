// SPDX-License-Identifier: Apache-2.0 OR MIT
use std::fmt::{self, Display, Formatter};
use std::io;

/// Why something fails.
#[derive(Debug)]
pub struct Failure {
    message: String,
    attribute: Option<String>,
    number: i32,
    said: bool, // to the host, by one of its functions
}

impl Failure {
    /// With this message, which says what could not be done and why.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), attribute: None, number: 0, said: false }
    }

    /// Names the attribute at fault.
    pub fn of(mut self, attribute: &str) -> Self {
        self.attribute = Some(attribute.to_owned());
        self
    }

    /// What the system said: the host appends its reason to the message.
    pub fn because(message: impl Into<String>, error: &io::Error) -> Self {
        let message = message.into();
        match error.raw_os_error() {
            Some(number) => Failure { message, attribute: None, number, said: false },
            None => Failure::new(format!("{message}: {error}")),
        }
    }

    /// The host has it already.
    pub(crate) fn said() -> Self {
        Failure { said: true, ..Failure::new("the host refused it") }
    }

    pub(crate) fn is_said(&self) -> bool {
        self.said
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    pub(crate) fn number(&self) -> i32 {
        self.number
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::new(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Failure::new(message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::new(error.to_string())
    }
}

/// Says what could not be done when the system says no:
/// `fs::remove_file(path).because(|| format!("cannot remove '{path}'"))?`
pub trait Because<T> {
    /// The message stands before the system's reason.
    fn because<S: Into<String>>(self, message: impl FnOnce() -> S) -> Result<T, Failure>;
}

impl<T> Because<T> for io::Result<T> {
    fn because<S: Into<String>>(self, message: impl FnOnce() -> S) -> Result<T, Failure> {
        self.map_err(|error| Failure::because(message(), &error))
    }
}
