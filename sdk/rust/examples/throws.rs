// SPDX-License-Identifier: Apache-2.0 OR MIT
//! throws - every callback, and everything that can go wrong in one: by what `how` says.
use rhost::{
    Act, Action, Attr, Builder, Canonicalize, Change, Changes, Compare, Context, Failure, Get, Insync, Level,
    Open, Provider, Set, Suits, Type, Value,
};
use std::cell::Cell;
use std::io;

struct Throws;

impl Provider for Throws {
    fn describe() -> Type<Self> {
        Type::new("throws", "Fails in the way it is told.")
            .attr(Attr::new("name", "String[1]", "What it is called.").namevar())
            .attr(Attr::new("how", "String", "How it fails."))
            .attr(Attr::new("values", "Hash[String, Any]", "Values of each kind.").default("{}"))
            .attr(Attr::new("made", "Boolean", "Whether it was made here.").read_only())
            .simple_get_filter()
            .action(Action::new("shout", "Says so."))
            .refresh_action("shout")
            .suits()
            .open()
            .canonicalize()
            .insync()
            .get()
            .set()
            .act()
    }
}

impl Suits for Throws {
    fn suits(_: Context<'_>) -> Result<i32, Failure> {
        Ok(7)
    }
}

impl Open for Throws {
    type State = Cell<i64>;

    fn open(_: Context<'_>) -> Result<Cell<i64>, Failure> {
        Ok(Cell::new(0))
    }

    fn close(ctx: Context<'_>, state: &mut Cell<i64>) {
        ctx.log(Level::Notice, &format!("{} were set", state.get()));
    }
}

impl Canonicalize for Throws {
    fn canonicalize(_: Context<'_>, resource: &mut Builder<'_>) -> Result<(), Failure> {
        if let Some(how) = resource.value().get("how").text() {
            let how = how.to_lowercase();
            if how == "canonicalize" {
                return Err(Failure::new("there is no such way").of("how"));
            }
            resource.put("how", &how);
        }
        Ok(())
    }
}

impl Insync for Throws {
    fn insync(_: Context<'_>, change: &Change<'_>, attribute: &str) -> Result<Compare, Failure> {
        if attribute != "how" {
            return Ok(Compare::InSync);
        }
        Ok(match change.should().get("how").text() {
            Some("default") => Compare::Default,
            Some(how) => Compare::Differs(Some(format!("it is to be '{how}'"))),
            None => Compare::InSync,
        })
    }
}

/// Panics when it is dropped, also as what a panic is about.
struct Fuse;

impl Drop for Fuse {
    fn drop(&mut self) {
        panic!("the fuse has burnt down");
    }
}

impl Get for Throws {
    fn get(ctx: Context<'_>, names: Value<'_>) -> Result<(), Failure> {
        for (i, name) in names.iter().enumerate() {
            let mut one = ctx.hash();

            if ctx.asked(i).get("how").text() == Some("unread") {
                ctx.fail_name(name, &Failure::new("it cannot be read: unread"));
                continue;
            }

            if name.get("name").text() == Some("fuse") {
                std::panic::panic_any(Fuse);
            }
            assert!(name.get("name").text() != Some("unreadable"), "thrown while reading");
            one.put("name", &name.get("name")).put("how", "not yet").put("made", &false);
            let mut values = one.put_hash("values");
            values.put("b", &true).put("i", &7_i64).put("r", &0.5).put("s", "text").put("n", &None::<i64>);
            values.put("l", &["a", "b"][..]);
            ctx.emit(&one)?;
        }
        Ok(())
    }
}

fn goes_wrong(how: &str) -> Result<(), Failure> {
    match how {
        "attribute" => Err(Failure::new("this is no way").of("how")),
        "system" => Err(Failure::because("cannot do it", &io::Error::from_raw_os_error(28))),
        "library" => Err("zwölf".parse::<i64>().map(|_| ()).unwrap_err().to_string().into()),
        "panic" => panic!("nobody thought of {how}"),
        "index" => Err(how.split(' ').collect::<Vec<_>>()[3].into()),
        _ => Ok(()),
    }
}

impl Set for Throws {
    fn set(ctx: Context<'_>, changes: Changes<'_>) -> Result<(), Failure> {
        for change in changes.iter() {
            ctx.scope(&change, || {
                let values = change.is().get("values");
                if values.get("i").integer() != Some(7) || values.get("l").at(1).text() != Some("b") {
                    return Err("what was read is something else".into());
                }
                if let Some(count) = ctx.kept::<Throws>() {
                    count.set(count.get() + 1);
                }
                goes_wrong(change.attr("how").text().unwrap_or_default())
            });
        }
        Ok(())
    }
}

impl Act for Throws {
    fn act(ctx: Context<'_>, change: &Change<'_>, action: &str) -> Result<(), Failure> {
        ctx.log(Level::Notice, &format!("{} has to {action}", change.title()));
        Ok(())
    }
}

rhost::plugin!("throws", "1.0", Throws);
