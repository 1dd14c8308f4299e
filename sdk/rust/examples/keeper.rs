// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A file with a password that is written and never read; several at once; a lookup and a fact.
use rhost::{
    Act, Action, Attr, Because, Builder, Change, Changes, Compare, Context, Doing, Fact, Failure, Insync,
    Level, Load, Lookup, Presence, Provider, Question, Set, Type, Value,
};
use std::fs;
use std::path::Path;

struct Keeper;

impl Provider for Keeper {
    fn describe() -> Type<Self> {
        Type::new("keeper", "Keep a file with a password that nobody reads.")
            .attr(Attr::new("path", r"Pattern[/\A\//]", "The file.").namevar())
            .attr(Attr::new("ensure", "Enum[present, absent]", "Whether it is there.").default("\"present\""))
            .attr(Attr::new("password", "Optional[Sensitive[String]]", "What is in it."))
            .attr(Attr::new("note", "Optional[String]", "What is kept beside it; its case does not matter."))
            .action(Action::new("count", "Say how often it was written."))
            .action(Action::new("forget", "Keep nothing of it."))
            .action(Action::new("refuse", "Fail."))
            .refresh_action("count")
            .load()
            .insync()
            .set()
            .act()
    }
}

impl Load for Keeper {
    fn load(
        ctx: Context<'_>,
        name: Value<'_>,
        _: Value<'_>,
        current: &mut Builder<'_>,
    ) -> Result<Presence, Failure> {
        if !Path::new(name.get("path").text().unwrap_or_default()).exists() {
            return Ok(Presence::Absent);
        }
        if let Some(note) = ctx.private_get(name, "note") {
            current.put("note", note);
        }
        Ok(Presence::Present)
    }
}

impl Insync for Keeper {
    fn insync(ctx: Context<'_>, change: &Change<'_>, attribute: &str) -> Result<Compare, Failure> {
        match attribute {
            "password" => ctx.private_insync(change, attribute),
            "note" => Ok(match (change.is().get("note").text(), change.should().get("note").text()) {
                (Some(is), Some(should)) if is.eq_ignore_ascii_case(should) => Compare::InSync,
                (Some(_), _) => Compare::Differs(Some("the note is another, whatever its case".to_owned())),
                _ => Compare::Default,
            }),
            _ => Ok(Compare::Default),
        }
    }
}

/// How often it was written.
fn written(ctx: Context<'_>, change: &Change<'_>) -> Option<u32> {
    ctx.private_get(change.name(), "written")?.parse().ok()
}

fn write(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
    let path = change.name().get("path").text().unwrap_or_default();

    if change.should().get("ensure").text() == Some("absent") {
        return fs::remove_file(path).because(|| format!("cannot remove '{path}'"));
    }
    fs::write(path, change.should().get("password").text().unwrap_or_default())
        .because(|| format!("cannot write '{path}'"))?;
    if let Some(note) = change.should().get("note").text() {
        ctx.private_put(change.name(), "note", Some(note))?;
    }
    let times = written(ctx, change).unwrap_or(0) + 1;
    ctx.private_put(change.name(), "written", Some(&times.to_string()))?;
    ctx.private_written(change, "password")
}

impl Act for Keeper {
    fn act(ctx: Context<'_>, change: &Change<'_>, action: &str) -> Result<(), Failure> {
        if ctx.noop() {
            return Ok(());
        }
        match action {
            "forget" => ctx.private_put(change.name(), "written", None)?,
            "refuse" => return Err(Failure::new("it is refused").of("path")),
            _ => {}
        }
        let times = written(ctx, change).map_or("never".to_owned(), |times| times.to_string());
        ctx.log(Level::Notice, &format!("written {times}"));
        Ok(())
    }
}

impl Set for Keeper {
    fn set(ctx: Context<'_>, changes: Changes<'_>) -> Result<(), Failure> {
        let begun: Vec<_> = changes
            .iter()
            .filter_map(|change| Some((ctx.overlap(Doing::Processing, &change, Some("Writing"))?, change)))
            .collect();

        for (block, change) in begun.into_iter().rev() {
            let outcome = write(ctx, &change).map_err(|failure| failure.to_string());
            block.end(outcome.as_ref().map(|_| ()).map_err(String::as_str));
        }
        Ok(())
    }
}

struct Twice;

impl Lookup for Twice {
    fn describe() -> Question {
        Question::new("twice", "String", "A word, twice.")
            .parameter(Attr::new("word", "String", "The word."))
            .parameter(Attr::new("between", "String", "What stands between.").default("\"-\""))
            .needs(&[])
    }

    fn find(_: Context<'_>, parameters: Value<'_>, answer: &mut Builder<'_>) -> Result<Presence, Failure> {
        let word = parameters.get("word").text().unwrap_or_default();
        let between = parameters.get("between").text().unwrap_or_default();

        if word.is_empty() {
            return Ok(Presence::Absent);
        }
        if word == "panic" {
            panic!("there is no such word");
        }
        answer.put("value", &format!("{word}{between}{word}"));
        Ok(Presence::Present)
    }
}

struct Site;

impl Fact for Site {
    fn describe() -> Question {
        Question::new("keeper_site", "String", "Where it is.").needs(&[])
    }

    fn read(_: Context<'_>, answer: &mut Builder<'_>) -> Result<Presence, Failure> {
        answer.put("value", "berlin");
        Ok(Presence::Present)
    }
}

rhost::plugin!("keeper", "1.0", Keeper; lookups: Twice; facts: Site);
