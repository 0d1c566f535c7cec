import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { createMailer, type MailMessage } from "./mailer.ts";

const MAIL: MailMessage = {
  messageId: "<mail_01@pay.example>",
  from: { name: "Café Ndlovu", address: "no-reply@pay.example" },
  replyTo: "owner@merchant.example",
  recipients: ["payer@customer.example"],
  subject: "Invoice INV-1: R 1 234.50 – due",
  text: "Hello,\n.\n.dots stay\nR 1 234.50\n",
  html: "<p>Hello, R&nbsp;1&nbsp;234.50</p>",
};

/** A real SMTP server that keeps what it takes. */
async function receiver(t: TestContext, options: SMTPServerOptions = {}) {
  const messages: string[] = [];
  let connections = 0;
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    disableReverseLookup: true,
    onConnect(_session, done) {
      connections++;
      done();
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", () => {
          messages.push(Buffer.concat(chunks).toString());
          done(null, "queued as 42");
        });
    },
    ...options,
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  t.after(() => {
    for (const connection of server.connections) connection.close();
    server.close();
  });
  return { port: (server.server.address() as AddressInfo).port, messages, server, connections: () => connections };
}

function mailer(t: TestContext, url: string) {
  const made = createMailer(url);
  t.after(() => made.close());
  return made;
}

const refusal = (responseCode: number) => Object.assign(new Error(`refused with ${responseCode}`), { responseCode });
const headersOf = (message: string) =>
  message
    .slice(0, message.indexOf("\r\n\r\n"))
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");

test("a mail arrives as text and HTML, with the names, addresses and id given", async (t) => {
  const { port, messages } = await receiver(t);
  const result = await mailer(t, `smtp://127.0.0.1:${port}`).send(MAIL);
  assert.deepEqual(result, {
    outcome: "sent",
    messageId: "<mail_01@pay.example>",
    response: "250 queued as 42",
    accepted: ["payer@customer.example"],
    rejected: [],
  });
  const [message = ""] = messages;
  const headers = headersOf(message);
  assert.ok(headers.includes("From: =?UTF-8?Q?Caf=C3=A9_Ndlovu?= <no-reply@pay.example>"), headers.join("\n"));
  assert.ok(headers.includes("Reply-To: =?UTF-8?Q?Caf=C3=A9_Ndlovu?= <owner@merchant.example>"));
  assert.ok(headers.includes("To: payer@customer.example"));
  assert.ok(headers.includes("Message-ID: <mail_01@pay.example>"));
  assert.ok(headers.includes("Auto-Submitted: auto-generated"));
  assert.match(
    message,
    /Content-Type: text\/plain; charset=utf-8.*\r\n\.\r\n\.dots stay\r\n.*Content-Type: text\/html; charset=utf-8/s,
  );
});

test("user and password of the URL are used, without TLS when the server has none", async (t) => {
  const seen: unknown[] = [];
  const { port } = await receiver(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      seen.push(username, password);
      done(null, { user: "x" });
    },
  });
  const { outcome } = await mailer(t, `smtp://us%40er:p%3A%2Fss@127.0.0.1:${port}`).send(MAIL);
  assert.deepEqual([outcome, ...seen], ["sent", "us@er", "p:/ss"]);
});

test("STARTTLS is used when offered, and a server on this machine may have a self-signed certificate", async (t) => {
  let secure = false;
  const { port } = await receiver(t, {
    disabledCommands: [],
    onAuth({ password }, session, done) {
      secure = session.secure;
      done(null, password === "pass" ? { user: "x" } : {});
    },
  });
  const { outcome } = await mailer(t, `smtp://user:pass@localhost:${port}`).send(MAIL);
  assert.deepEqual([outcome, secure], ["sent", true]);
});

const INJECTIONS: [name: string, change: Partial<MailMessage>][] = [
  ["subject", { subject: "Hi\r\nBcc: evil@evil.example\r\n\r\nbody" }],
  ["subject with other line ends", { subject: "Hi\u2028Bcc: evil@evil.example\u0085X: y\0" }],
  ["display name", { from: { name: 'A"\r\nBcc: <evil@evil.example>, "', address: "no-reply@pay.example" } }],
  ["display name with an address", { from: { name: "evil@evil.example>, <x", address: "no-reply@pay.example" } }],
];
for (const [name, change] of INJECTIONS)
  test(`no header comes out of a ${name}`, async (t) => {
    const envelopes: unknown[] = [];
    const { port, messages } = await receiver(t, {
      onRcptTo({ address }, _session, done) {
        envelopes.push(address);
        done();
      },
    });
    const { outcome } = await mailer(t, `smtp://127.0.0.1:${port}`).send({ ...MAIL, ...change });
    assert.equal(outcome, "sent");
    const names = headersOf(messages[0] ?? "").map((line) => line.slice(0, line.indexOf(":")));
    const expected = [
      "From",
      "Reply-To",
      "To",
      "Subject",
      "Message-ID",
      "Auto-Submitted",
      "Date",
      "MIME-Version",
      "Content-Type",
    ];
    assert.deepEqual(names.toSorted(), expected.toSorted());
    assert.deepEqual(envelopes, ["payer@customer.example"]);
  });

const BAD_ADDRESSES = [
  "",
  "payer",
  "a@b\r\nRCPT TO:<evil@evil.example>",
  "a@b>, <c@d",
  "a,b@c.example",
  "a b@c.example",
  "a@b@c",
  "a\0@b",
];
for (const address of BAD_ADDRESSES)
  test(`${JSON.stringify(address)} is no address and is never sent to`, async (t) => {
    const { port, connections } = await receiver(t);
    const { send } = mailer(t, `smtp://127.0.0.1:${port}`);
    assert.equal((await send({ ...MAIL, recipients: ["payer@customer.example", address] })).outcome, "permanent");
    assert.equal((await send({ ...MAIL, replyTo: address })).outcome, "permanent");
    assert.equal((await send({ ...MAIL, from: { name: "A", address } })).outcome, "permanent");
    assert.equal(connections(), 0);
  });

test("a Message-ID of the wrong form is an error of the caller", async (t) => {
  const { send } = mailer(t, "smtp://127.0.0.1:1");
  for (const messageId of ["", "mail_01", "<a b@c>", "<a@b>\r\nX: y"])
    await assert.rejects(send({ ...MAIL, messageId }), /Message-ID/);
});

const refuseAfterData = (code: number): SMTPServerOptions => ({
  onData(stream, _session, done) {
    stream.resume().on("end", () => done(refusal(code)));
  },
});
const REFUSALS: [name: string, options: SMTPServerOptions, outcome: string][] = [
  ["the sender, for good", { onMailFrom: (_address, _session, done) => done(refusal(550)) }, "permanent"],
  ["the sender, for now", { onMailFrom: (_address, _session, done) => done(refusal(451)) }, "temporary"],
  ["the recipient, for good", { onRcptTo: (_address, _session, done) => done(refusal(550)) }, "permanent"],
  ["the recipient, for now", { onRcptTo: (_address, _session, done) => done(refusal(450)) }, "temporary"],
  ["the message, for good", refuseAfterData(554), "permanent"],
  ["the message, for now", refuseAfterData(452), "temporary"],
  ["the message, while closing", refuseAfterData(421), "temporary"],
  ["a message of this size", { size: 100, rejectOversized: true }, "permanent"],
  ["everybody", { onConnect: (_session, done) => done(refusal(554)) }, "temporary"],
  ["those who do not sign in", { authOptional: false, allowInsecureAuth: true }, "temporary"],
];
for (const [name, options, outcome] of REFUSALS)
  test(`a server that refuses ${name}: ${outcome}`, async (t) => {
    const { port } = await receiver(t, options);
    const result = await mailer(t, `smtp://127.0.0.1:${port}`).send(MAIL);
    assert.equal(result.outcome, outcome, JSON.stringify(result));
  });

test("after a wrong password the mail can be sent again", async (t) => {
  const { port } = await receiver(t, {
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(refusal(535)),
  });
  const result = await mailer(t, `smtp://user:very-secret@127.0.0.1:${port}`).send(MAIL);
  assert.equal(result.outcome, "temporary");
  assert.ok(!JSON.stringify(result).includes("very-secret"));
});

test("of several recipients the refused ones are named", async (t) => {
  const { port, messages } = await receiver(t, {
    onRcptTo: ({ address }, _session, done) => done(address.startsWith("gone") ? refusal(550) : null),
  });
  const recipients = ["a@x.example", "gone@x.example", "b@x.example"];
  const result = await mailer(t, `smtp://127.0.0.1:${port}`).send({ ...MAIL, recipients });
  assert.ok(result.outcome === "sent");
  assert.deepEqual([result.accepted, result.rejected], [["a@x.example", "b@x.example"], ["gone@x.example"]]);
  assert.equal(messages.length, 1);
});

test("connection refused: temporary", async (t) => {
  const { port, server } = await receiver(t);
  await new Promise<void>((resolve) => server.close(resolve));
  assert.equal((await mailer(t, `smtp://127.0.0.1:${port}`).send(MAIL)).outcome, "temporary");
});

type Step = "greeting" | "RCPT" | "content" | "dot";

/**
 * A server written out by hand, that answers until it reaches a step and there calls `then`. `wholeMessages` counts the
 * messages of which it saw the final dot.
 */
async function breakingServer(t: TestContext, at: Step, then: (socket: Socket) => void) {
  const seen = { wholeMessages: 0 };
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    let inData = false;
    let pending = "";
    const say = (text: string) => socket.write(`${text}\r\n`);
    if (at === "greeting") return then(socket);
    say("220 ready");
    socket.on("data", (chunk) => {
      pending += chunk;
      if (inData) {
        if (at === "content") return then(socket);
        if (!pending.endsWith("\r\n.\r\n")) return;
        seen.wholeMessages++;
        return then(socket);
      }
      for (const line of pending.split("\r\n").slice(0, -1)) {
        if (line.startsWith("RCPT") && at === "RCPT") return then(socket);
        if (line === "DATA") inData = true;
        say(line === "DATA" ? "354 go on" : "250 fine");
      }
      pending = "";
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

const reset = (socket: Socket) => socket.resetAndDestroy();
const hangUp = (socket: Socket) => socket.end();
const fallSilent = () => {};
const LONG = { ...MAIL, text: "0123456789".repeat(500_000) };
const BREAKS: [name: string, Step, then: (socket: Socket) => void, MailMessage, outcome: string][] = [
  ["hangs up instead of greeting", "greeting", hangUp, MAIL, "temporary"],
  ["never greets", "greeting", fallSilent, MAIL, "temporary"],
  ["resets at the recipient", "RCPT", reset, MAIL, "temporary"],
  ["falls silent at the recipient", "RCPT", fallSilent, MAIL, "temporary"],
  ["resets in the middle of a long message", "content", reset, LONG, "temporary"],
  ["hangs up after the whole message", "dot", hangUp, MAIL, "unknown"],
  ["resets after the whole message", "dot", reset, MAIL, "unknown"],
  ["falls silent after the whole message", "dot", fallSilent, MAIL, "unknown"],
  ["babbles after the whole message", "dot", (socket) => socket.end("250-half an ans"), MAIL, "unknown"],
];
for (const [name, at, then, message, outcome] of BREAKS)
  test(`a server that ${name}: ${outcome}, and the message goes out once at most`, async (t) => {
    const { port, seen } = await breakingServer(t, at, then);
    // Only servers that fall silent may time out.
    const patience = then === fallSilent ? 1_000 : 60_000;
    const { send } = mailer(t, `smtp://127.0.0.1:${port}/?socketTimeout=${patience}&greetingTimeout=${patience}`);
    const result = await send(message);
    assert.equal(result.outcome, outcome, JSON.stringify(result));
    // Enough time for the pool to try again, if it did.
    if (outcome === "unknown") await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(seen.wholeMessages, outcome === "unknown" ? 1 : 0);
  });

test("mails share a connection, and one that the server dropped while idle costs nothing", async (t) => {
  const { port, messages, server, connections } = await receiver(t);
  const { send } = mailer(t, `smtp://127.0.0.1:${port}`);
  for (const id of ["<1@x>", "<2@x>"]) assert.equal((await send({ ...MAIL, messageId: id })).outcome, "sent");
  assert.equal(connections(), 1);
  for (const connection of server.connections) connection.close();
  assert.equal((await send({ ...MAIL, messageId: "<3@x>" })).outcome, "sent");
  assert.deepEqual(
    messages.map((message) => /Message-ID: (.*)\r/.exec(message)?.[1]),
    ["<1@x>", "<2@x>", "<3@x>"],
  );
});

test("many mails at once all arrive, once each", async (t) => {
  const { port, messages, connections } = await receiver(t);
  const { send } = mailer(t, `smtp://127.0.0.1:${port}`);
  const ids = Array.from({ length: 50 }, (_, i) => `<${i}@x>`);
  const results = await Promise.all(ids.map((messageId) => send({ ...MAIL, messageId })));
  assert.ok(results.every(({ outcome }) => outcome === "sent"));
  assert.deepEqual(messages.map((message) => /Message-ID: (.*)\r/.exec(message)?.[1]).toSorted(), ids.toSorted());
  assert.ok(connections() <= 5);
});

test("without SMTP_URL nothing is sent, and the mailer says so", async () => {
  const off = createMailer(null);
  assert.deepEqual([off.sends, (await off.send(MAIL)).outcome], [false, "temporary"]);
});

for (const url of ["", "mail.example:587", "http://user:hush@mail.example", "smtp://", "smtp:user:hush"])
  test(`SMTP_URL ${JSON.stringify(url)} is refused without being quoted`, () => {
    assert.throws(
      () => createMailer(url),
      (error: Error) => /^SMTP_URL must look like/.test(error.message) && !error.message.includes("hush"),
    );
  });
