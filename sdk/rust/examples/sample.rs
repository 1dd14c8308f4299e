// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What few providers need, each once: two types with one process, mistakes that no data type states, long work,
//! reports without a block, and a device with its transport.
use rhost::{
    Attr, Because, Builder, Change, Changes, ConnectionInfo, Context, Doing, Fact, Failure, Get, Level, Load,
    Lookup, Presence, Provider, Question, Set, Transport, Type, Validate, Value, Write,
};
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// What both types share: a log beside the file that is asked for first.
struct Connection {
    log: fs::File,
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = writeln!(self.log, "disconnect");
    }
}

fn connection<'a>(ctx: Context<'a>, path: &str) -> Result<&'a Connection, Failure> {
    ctx.shared("connection", || {
        let path = Path::new(path).with_file_name("log");
        let mut log = fs::OpenOptions::new().append(true).create(true).open(path).because(|| "cannot log")?;
        writeln!(log, "connect")?;
        Ok(Connection { log })
    })
}

fn path_of<'a>(name: Value<'a>) -> &'a str {
    name.get("path").text().unwrap_or_default()
}

fn read(path: &str) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Failure::because(format!("cannot read '{path}'"), &e)),
    }
}

struct Sample;

impl Provider for Sample {
    fn describe() -> Type<Self> {
        Type::new("sample", "Write a file in a way that the manifest names.")
            .attr(Attr::new("path", r"Pattern[/\A\//]", "The file.").namevar())
            .attr(Attr::new("text", "String", "What is in it.").formerly(&["words"]))
            .attr(
                Attr::new("colour", "Optional[String]", "Nothing comes of it.")
                    .parameter()
                    .deprecated("use 'text'"),
            )
            .attr(Attr::new("how", "String", "How it is written.").parameter().default("\"did\""))
            .simple_get_filter()
            .gathers()
            .read_back()
            .needs(&["write[$path]", "read[/etc/passwd]"])
            .irreversible("what was in the file is not known")
            .validate()
            .get()
            .set()
    }
}

impl Validate for Sample {
    fn validate(_: Context<'_>, resource: Value<'_>) -> Result<(), Failure> {
        if resource.get("colour").text() == Some("grey") && resource.get("text").text() == Some("bright") {
            return Err(Failure::new("a bright text has no grey colour").of("colour"));
        }
        Ok(())
    }
}

impl Get for Sample {
    fn get(ctx: Context<'_>, names: Value<'_>) -> Result<(), Failure> {
        for name in names.iter() {
            let path = path_of(name);

            connection(ctx, path)?;
            if let Some(text) = read(path)? {
                let mut one = ctx.hash();
                one.put("path", path).put("text", &text);
                ctx.emit(&one)?;
            }
        }
        Ok(())
    }
}

fn write(change: &Change<'_>) -> Result<(), Failure> {
    let path = path_of(change.name());
    fs::write(path, change.attr("text").text().unwrap_or_default())
        .because(|| format!("cannot write '{path}'"))
}

/// Two and a half seconds, unless `each` ends it before.
fn for_a_while(mut each: impl FnMut(u64) -> bool) {
    for tenth in 1..=25 {
        if !each(tenth) {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn write_in_a_block(ctx: Context<'_>, change: &Change<'_>, how: &str) -> Result<(), Failure> {
    match how {
        "busy" => {
            ctx.busy(60.0, "waiting for the ink to dry");
            for_a_while(|_| true);
        }
        "counted" => for_a_while(|tenth| {
            ctx.progress(tenth, 25, "tenths");
            true
        }),
        "until stopped" => {
            ctx.log(Level::Notice, "begun");
            while !ctx.stopping() {
                thread::sleep(Duration::from_millis(50));
            }
            return Err("stopped by request".into());
        }
        "deadline" => ctx.log(Level::Notice, &format!("{:.0} s left", ctx.deadline())),
        "not at all" => return Ok(()),
        _ => return Err(Failure::new(format!("there is no way '{how}'")).of("how")),
    }
    write(change)
}

impl Set for Sample {
    fn set(ctx: Context<'_>, changes: Changes<'_>) -> Result<(), Failure> {
        ctx.log(Level::Notice, &format!("{} at once", changes.len()));
        for change in changes.iter() {
            match change.attr("how").text().unwrap_or_default() {
                "did" => {
                    let doing = if change.absent() { Doing::Creating } else { Doing::Updating };
                    write(&change)?;
                    ctx.attribute_changed(&change, "text", Some("the text is another"))?;
                    ctx.did(doing, &change, Some("It is written"))?;
                }
                "processed" => {
                    write(&change)?;
                    ctx.did(Doing::Processing, &change, None)?;
                }
                "unchanged" => ctx.unchanged(&change, Some("it is good enough"))?,
                "failed" => ctx.failed(&change, &Failure::new("there is no ink").of("text"))?,
                "counted apart" => {
                    for_a_while(|tenth| {
                        ctx.progress_of(&change, tenth, 25, "tenths");
                        true
                    });
                    write(&change)?;
                    ctx.did(Doing::Updating, &change, None)?;
                }
                how => {
                    ctx.scope(&change, || write_in_a_block(ctx, &change, how));
                }
            }
        }
        Ok(())
    }
}

/// The other type with the same connection. What it does takes nothing.
struct Note;

impl Provider for Note {
    fn describe() -> Type<Self> {
        Type::new("sample_note", "Look whether there is a file.")
            .attr(Attr::new("path", r"Pattern[/\A\//]", "The file.").namevar())
            .needs(&[])
            .load()
    }
}

impl Load for Note {
    fn load(
        ctx: Context<'_>,
        name: Value<'_>,
        _: Value<'_>,
        _: &mut Builder<'_>,
    ) -> Result<Presence, Failure> {
        connection(ctx, path_of(name))?;
        Ok(Presence::Present)
    }
}

/// A device that is a directory, with a token in it.
struct Dir {
    path: PathBuf,
}

impl Transport for Dir {
    fn describe() -> ConnectionInfo {
        ConnectionInfo::new("sample_dir", "Reach a device that is a directory.")
            .attr(Attr::new("directory", r"Pattern[/\A\//]", "Where it is."))
            .attr(Attr::new("token", "Sensitive[String]", "What is in its file 'token'."))
    }

    fn open(ctx: Context<'_>, info: Value<'_>) -> Result<Self, Failure> {
        let path = PathBuf::from(info.get("directory").text().unwrap_or_default());
        let token = fs::read_to_string(path.join("token")).because(|| "cannot reach the device")?;

        ctx.log(Level::Info, "connected");
        if info.get("token").text() != Some(token.trim()) {
            return Err(Failure::new("wrong token").of("token"));
        }
        Ok(Dir { path })
    }

    fn verify(&self, _: Context<'_>) -> Result<(), Failure> {
        match fs::read_to_string(self.path.join("version")).because(|| "cannot find its version")?.trim() {
            "1" => Ok(()),
            other => Err(format!("version {other} of the device is not known").into()),
        }
    }

    fn facts(&self, _: Context<'_>, facts: &mut Builder<'_>) -> Result<(), Failure> {
        facts.put("model", "a directory").put("version", &1_i64);
        Ok(())
    }

    fn close(&mut self, ctx: Context<'_>) {
        ctx.log(Level::Info, "disconnected");
    }
}

struct Item;

/// Where the item is on the device.
fn item(ctx: Context<'_>, name: Value<'_>) -> Result<PathBuf, Failure> {
    let dir = ctx.transport::<Dir>().ok_or("it is not reached by sample_dir")?;
    Ok(dir.path.join("items").join(name.get("name").text().unwrap_or_default()))
}

impl Provider for Item {
    fn describe() -> Type<Self> {
        Type::new("sample_item", "Keep an item on the device.")
            .attr(Attr::new("name", r"Pattern[/\A[a-z]{1,50}\z/]", "What it is called.").namevar())
            .attr(Attr::new("ensure", "Enum[present, absent]", "Whether it exists.").default("\"present\""))
            .attr(Attr::new("value", "String[1]", "What it holds."))
            .remote_resource()
            .load()
            .write()
    }
}

impl Load for Item {
    fn load(
        ctx: Context<'_>,
        name: Value<'_>,
        _: Value<'_>,
        current: &mut Builder<'_>,
    ) -> Result<Presence, Failure> {
        match read(&item(ctx, name)?.to_string_lossy())? {
            Some(text) => current.put("value", &text),
            None => return Ok(Presence::Absent),
        };
        Ok(Presence::Present)
    }
}

impl Write for Item {
    fn create(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        let path = item(ctx, change.name())?;
        fs::write(path, change.attr("value").text().unwrap_or_default()).because(|| "the device refuses it")
    }

    fn update(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        Self::create(ctx, change)
    }

    fn remove(ctx: Context<'_>, change: &Change<'_>) -> Result<(), Failure> {
        fs::remove_file(item(ctx, change.name())?).because(|| "the device keeps it")
    }
}

struct Twice;

impl Lookup for Twice {
    fn describe() -> Question {
        Question::new("sample_twice", "String", "A word, twice.")
            .parameter(Attr::new("word", "String", "The word."))
            .parameter(Attr::new("between", "String", "What stands between.").default("\"-\""))
            .needs(&[])
    }

    fn find(_: Context<'_>, parameters: Value<'_>, answer: &mut Builder<'_>) -> Result<Presence, Failure> {
        match parameters.get("word").text().unwrap_or_default() {
            "" => return Ok(Presence::Absent),
            "bad" => return Err(Failure::new("it is a bad word").of("word")),
            word => {
                let between = parameters.get("between").text().unwrap_or_default();
                answer.put("value", &format!("{word}{between}{word}"))
            }
        };
        Ok(Presence::Present)
    }
}

struct Site;

impl Fact for Site {
    fn describe() -> Question {
        Question::new("sample_site", "String", "Where it is.").needs(&[])
    }

    fn read(_: Context<'_>, answer: &mut Builder<'_>) -> Result<Presence, Failure> {
        answer.put("value", "berlin");
        Ok(Presence::Present)
    }
}

rhost::plugin!("sample", "1.0", one_worker, Sample, Note, Item; transports: Dir; lookups: Twice; facts: Site);
