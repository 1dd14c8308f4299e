// SPDX-License-Identifier: Apache-2.0
//! link - the plugin of the same name once more, in Rust: it passes the same tests.
use rhost::{Attr, Because, Builder, Change, Context, Failure, Load, Presence, Provider, Type, Value, Write};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::Path;

const EINVAL: i32 = 22;

struct Link;

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
            .load()
            .write()
    }
}

impl Load for Link {
    fn load(
        _: Context<'_>,
        name: Value<'_>,
        should: Value<'_>,
        current: &mut Builder<'_>,
    ) -> Result<Presence, Failure> {
        let path = name.get("path").text().unwrap_or_default();
        let replaceable = should.is_undef() || should.get("force").boolean() == Some(true);

        match fs::read_link(path) {
            Ok(target) => {
                current.put("target", &*target.to_string_lossy());
                Ok(Presence::Present)
            }
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(Presence::Absent),
            // Something else is there, which may be replaced.
            Err(e) if e.raw_os_error() == Some(EINVAL) && replaceable => Ok(Presence::Absent),
            Err(e) if e.raw_os_error() == Some(EINVAL) => {
                Err(Failure::new(format!("'{path}' is there, and not a link")))
            }
            Err(e) => Err(Failure::because(format!("cannot read link '{path}'"), &e)),
        }
    }
}

impl Write for Link {
    /// The link is made beside its place and renamed into it, so that no reader ever finds the path
    /// missing.
    fn create(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        let path = change.name().get("path").text().unwrap_or_default();
        let beside = format!("{path}.rhost-new");

        let _ = fs::remove_file(&beside); // left by a run that was killed
        symlink(change.should().get("target").text().unwrap_or_default(), &beside)
            .because(|| format!("cannot create '{beside}'"))?;
        if let Err(e) = fs::rename(&beside, path) {
            let _ = fs::remove_file(&beside);
            return Err(Failure::because(format!("cannot put the link '{path}' in its place"), &e));
        }
        ctx.touched(Path::new(path));
        Ok(())
    }

    fn update(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        Self::create(ctx, change)
    }

    fn remove(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        let path = change.name().get("path").text().unwrap_or_default();

        fs::remove_file(path).because(|| format!("cannot remove '{path}'"))?;
        ctx.touched(Path::new(path));
        Ok(())
    }
}

rhost::plugin!("link", "1.0", Link);
