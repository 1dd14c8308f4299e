// SPDX-License-Identifier: Apache-2.0
// Asks yaml-language-server about manifests, as an editor does: it is given the schema and the tags, opens each
// file, and prints what would be underlined.
//
//   node editor.mjs SERVER SCHEMA FILE...
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [server, schema, ...files] = process.argv.slice(2);
const child = spawn("node", [server, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
const settings = {
    yaml: {
        schemas: { [pathToFileURL(resolve(schema))]: "*.yaml" },
        customTags: ["!append sequence", "!append mapping", "!remove sequence", "!remove mapping"],
        schemaStore: { enable: false },
        validate: true,
    },
};
const waiting = new Map();
const found = new Map();
let buffer = Buffer.alloc(0);
let last = 0;

function send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function ask(method, params) {
    send({ id: ++last, method, params });
    return new Promise((done) => waiting.set(last, done));
}

function take(message) {
    if (message.method === "workspace/configuration")
        send({ id: message.id, result: message.params.items.map((item) => settings[item.section] ?? {}) });
    else if (message.method && message.id !== undefined) send({ id: message.id, result: null });
    else if (message.method === "textDocument/publishDiagnostics")
        found.get(message.params.uri)?.(message.params.diagnostics);
    else if (waiting.has(message.id)) waiting.get(message.id)(message.result);
}

child.stdout.on("data", (data) => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
        const end = buffer.indexOf("\r\n\r\n");
        const length = end < 0 ? 0 : Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
        if (end < 0 || buffer.length < end + 4 + length) return;
        const text = buffer.subarray(end + 4, end + 4 + length).toString();
        buffer = buffer.subarray(end + 4 + length);
        take(JSON.parse(text));
    }
});

await ask("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { configuration: true }, textDocument: { publishDiagnostics: {} } },
});
send({ method: "initialized", params: {} });
send({ method: "workspace/didChangeConfiguration", params: { settings } });
for (const file of files) {
    const uri = pathToFileURL(resolve(file)).href;
    const answer = new Promise((done) => found.set(uri, done));
    send({
        method: "textDocument/didOpen",
        params: { textDocument: { uri, languageId: "yaml", version: 1, text: readFileSync(file, "utf8") } },
    });
    for (const one of await answer)
        console.log(`${file}:${one.range.start.line + 1}:${one.range.start.character + 1}: ${one.message.split("\n")[0]}`);
}
await ask("shutdown", null);
send({ method: "exit" });
