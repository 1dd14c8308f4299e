// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A file with a password that is written and never read; several at once; a lookup and a fact.
use rhost::{
    Attr, Because, Builder, Change, Changes, Compare, Context, Doing, Fact, Failure, Insync, Load, Lookup,
    Presence, Provider, Question, Set, Type, Value,
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
            .load()
            .insync()
            .set()
    }
}

impl Load for Keeper {
    fn load(_: Context<'_>, name: Value<'_>, _: Value<'_>, _: &mut Builder<'_>) -> Result<Presence, Failure> {
        let there = Path::new(name.get("path").text().unwrap_or_default()).exists();
        Ok(if there { Presence::Present } else { Presence::Absent })
    }
}

impl Insync for Keeper {
    fn insync(ctx: Context<'_>, change: &Change<'_>, attribute: &str) -> Result<Compare, Failure> {
        match attribute {
            "password" => ctx.private_insync(change, attribute),
            _ => Ok(Compare::Default),
        }
    }
}

fn write(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
    let path = change.name().get("path").text().unwrap_or_default();

    if change.should().get("ensure").text() == Some("absent") {
        return fs::remove_file(path).because(|| format!("cannot remove '{path}'"));
    }
    fs::write(path, change.should().get("password").text().unwrap_or_default())
        .because(|| format!("cannot write '{path}'"))?;
    ctx.private_written(change, "password")
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
        Question::new("keeper_site", "String", "Where it is.")
    }

    fn read(_: Context<'_>, answer: &mut Builder<'_>) -> Result<Presence, Failure> {
        answer.put("value", "berlin");
        Ok(Presence::Present)
    }
}

rhost::plugin!("keeper", "1.0", Keeper; lookups: Twice; facts: Site);
