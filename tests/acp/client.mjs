// A client of the Agent Client Protocol over the npm package @agentclientprotocol/sdk. It prints what it sees, a line each; the Go
// test beside it compares that.
//
//	node client.mjs talk|load|vanish FOLDER PROGRAM ARGUMENT...

import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [mode, folder, program, ...args] = process.argv.slice(2);
const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const exited = once(agent, "exit");

const say = (...words) => console.log(words.join(" ").replaceAll(folder, "$DIR"));

// What to do when something comes, once, by its name.
const expected = new Map();
const next = (name) => new Promise((resolve) => expected.set(name, resolve));
const came = (name, value) => {
  expected.get(name)?.(value);
  expected.delete(name);
};

// A conversation that stands still is a failure that says where. The agent ends with its input, and with it this program's output.
const patience = setTimeout(() => {
  console.error("the conversation stands still; it waits for", [...expected.keys()].join(", ") || "an answer");
  process.exit(3);
}, 60_000);

let text = "";
const endOfText = () => {
  if (text !== "") say("  text", JSON.stringify(text));
  text = "";
};

const update = (u) => {
  if (u.sessionUpdate === "agent_message_chunk") {
    text += u.content.text;
    came("chunk");
    return;
  }
  endOfText();
  switch (u.sessionUpdate) {
    case "tool_call":
      say("  call", u.kind, u.status, u.title, ...(u.locations ?? []).map((l) => l.path));
      break;
    case "tool_call_update":
      say("  call", u.status, JSON.stringify(u.content?.[0]?.content.text ?? ""));
      break;
    default:
      say(" ", u.sessionUpdate, u.content?.text ?? "");
  }
  came(u.sessionUpdate + " " + (u.status ?? ""));
};

let answer = "allow_once";
const permission = (p) => {
  endOfText();
  say("  permission", p.toolCall.title, "->", answer);
  return { outcome: answer === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId: answer } };
};

const raw = (params) => params;
const client = acp
  .client({ name: "test" })
  .onRequest(acp.methods.client.session.requestPermission, async (ctx) => {
    came("permission");
    if (answer === "never") await new Promise(() => {});
    return permission(ctx.params);
  })
  .onNotification(acp.methods.client.session.update, (ctx) => update(ctx.params.update))
  .onNotification("_toolgen/turn_began", raw, () => say("  turn began"))
  .onNotification("_toolgen/notices", raw, (ctx) => {
    say("  notices", ...ctx.params.notices.map((n) => n.kind + " of " + n.label));
    came("notices");
  })
  .onNotification("_toolgen/turn_ended", raw, (ctx) => {
    endOfText();
    say("  turn ended", ctx.params.stopReason);
    came("turn ended");
  });

const greet = async (ctx) => {
  const res = await ctx.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "test", version: "1" },
  });
  say("initialize", res.protocolVersion, res.agentInfo.name, JSON.stringify(res.agentCapabilities.loadSession));
};

const prompt = async (ctx, sessionId, words) => {
  say("prompt", words);
  const res = await ctx.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: words }] });
  endOfText();
  say("  stop", res.stopReason);
};

const refused = async (what, promise) => {
  try {
    await promise;
    say(what, "was accepted");
  } catch (e) {
    say(what, e.code, e.message);
  }
};

const modes = {
  async talk(ctx) {
    await greet(ctx);
    const { sessionId } = await ctx.request(acp.methods.agent.session.new, { cwd: folder, mcpServers: [] });
    await prompt(ctx, sessionId, "Read it.");
    answer = "reject_once";
    await prompt(ctx, sessionId, "Remove it.");
    answer = "never"; // the client cancels in place of an answer
    const asked = next("permission");
    const cancelled = prompt(ctx, sessionId, "Try again.");
    await asked;
    await ctx.notify(acp.methods.agent.session.cancel, { sessionId });
    await cancelled;
    answer = "allow_once";
    const woken = next("turn ended");
    await prompt(ctx, sessionId, "Ask someone.");
    await woken;
    await refused("unknown method", ctx.request("session/undo", {}));
    await refused("unknown session", ctx.request(acp.methods.agent.session.prompt, { sessionId: "nobody", prompt: [{ type: "text", text: "?" }] }));
    await refused("bad parameters", ctx.request("session/new", { cwd: "here", mcpServers: [] }));
    console.error("session", sessionId);
  },
  async load(ctx) {
    await greet(ctx);
    const sessionId = process.env.SESSION;
    const told = next("notices"); // the SDK may hand these over later than updates
    await ctx.request(acp.methods.agent.session.load, { sessionId, cwd: folder, mcpServers: [] });
    await told;
    endOfText();
    say("loaded");
    await prompt(ctx, sessionId, "Again?");
  },
  async vanish(ctx) {
    await greet(ctx);
    const { sessionId } = await ctx.request(acp.methods.agent.session.new, { cwd: folder, mcpServers: [] });
    const chunk = next("chunk");
    void prompt(ctx, sessionId, "Work.");
    await chunk;
    process.kill(process.pid, "SIGKILL");
  },
};

await client.connectWith(acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), modes[mode]);
agent.stdin.end();
const [code] = await exited;
clearTimeout(patience);
say("exit", code);
