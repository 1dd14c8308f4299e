// SPDX-License-Identifier: Apache-2.0 OR MIT
//! link - the plugin of the same name once more, in Rust: it passes the same tests.
use rhost::{
    Attr, Builder, Canonicalize, Change, Context, Failure, Load, Presence, Provider, Type, Value, Write,
};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const EINVAL: i32 = 22;

struct Link;

fn is_directory(ctx: Context<'_>, path: &str) -> bool {
    let found = ctx.reach(Path::new(path), false).and_then(|at| fs::symlink_metadata(at.path()));

    found.map_or(false, |found| found.is_dir())
}

impl Provider for Link {
    fn describe() -> Type<Self> {
        Type::new("link", "Keep symbolic links pointing where they should.")
            .attr(Attr::new("path", r"Pattern[/\A\//]", "Absolute path of the link.").namevar())
            .attr(
                Attr::new("ensure", "Enum[present, absent]", "Whether the link should exist.")
                    .default(r#""present""#),
            )
            .attr(Attr::new("target", "String[1]", "What the link points at, word for word."))
            .attr(
                Attr::new("force", "Boolean", "Whether a file may give way to the link.")
                    .parameter()
                    .default("false"),
            )
            .canonicalize()
            .load()
            .write()
    }
}

impl Canonicalize for Link {
    /// One '/' between the parts, none behind the last, and no "." among them.
    fn canonicalize(_: Context<'_>, resource: &mut Builder<'_>) -> Result<(), Failure> {
        if let Some(path) = resource.value().get("path").text().map(str::to_owned) {
            let tidy = Path::new(&path).components().collect::<PathBuf>();
            resource.put("path", &*tidy.to_string_lossy());
        }
        Ok(())
    }
}

impl Load for Link {
    fn load(
        ctx: Context<'_>,
        name: Value<'_>,
        should: Value<'_>,
        current: &mut Builder<'_>,
    ) -> Result<Presence, Failure> {
        let path = name.get("path").text().unwrap_or_default();
        let replaceable = should.is_undef() || should.get("force").boolean() == Some(true);

        match ctx.reach(Path::new(path), false).and_then(|at| fs::read_link(at.path())) {
            Ok(target) => {
                current.put("target", &*target.to_string_lossy());
                Ok(Presence::Present)
            }
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(Presence::Absent),
            Err(e) if e.raw_os_error() == Some(EINVAL) && is_directory(ctx, path) => {
                Err(Failure::new(format!("'{path}' is a directory, not a link")))
            }
            // Something else is there, which may be replaced.
            Err(e) if e.raw_os_error() == Some(EINVAL) && replaceable => Ok(Presence::Absent),
            Err(e) if e.raw_os_error() == Some(EINVAL) => {
                Err(Failure::new(format!("'{path}' exists, but is not a link")))
            }
            Err(e) => Err(ctx.path_failure(format!("cannot read link '{path}'"), &e)),
        }
    }
}

impl Write for Link {
    /// The link takes its place in one step, so that no reader ever finds the path missing.
    fn create(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        let path = change.name().get("path").text().unwrap_or_default();
        let target = change.should().get("target").text().unwrap_or_default();
        let replace = change.should().get("force").boolean() == Some(true);

        ctx.symlink(Path::new(target), Path::new(path), replace)
            .map_err(|e| ctx.path_failure(format!("cannot create the link '{path}'"), &e))?;
        ctx.touched(Path::new(path));
        Ok(())
    }

    fn update(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        Self::create(ctx, change)
    }

    fn remove(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        let path = change.name().get("path").text().unwrap_or_default();

        ctx.reach(Path::new(path), false)
            .and_then(|at| fs::remove_file(at.path()))
            .map_err(|e| ctx.path_failure(format!("cannot remove '{path}'"), &e))?;
        ctx.touched(Path::new(path));
        Ok(())
    }
}

rhost::plugin!("link", "1.0", Link);
