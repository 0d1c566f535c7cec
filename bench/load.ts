import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serveParent } from "./child.ts";
import { type RequestOptions, requests } from "./load-requests.ts";
import { percentile } from "./statistics.ts";

/*
 * The load generator: a process of its own on raw keep-alive sockets, because a client library would use
 * processor time that the server needs.
 */

/** The requests to 127.0.0.1, and their rate. */
export interface Load extends RequestOptions {
  readonly port: number;
  readonly connections: number;
  /**
   * Requests a second, at times independent of the answers, as from independent callers; latency counts from the planned time. Null: each
   * connection sends its next request after its answer.
   */
  readonly rate: number | null;
  /** Sent before the count begins. */
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** Times in milliseconds. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failures: number;
  /** Text of the first failure. */
  readonly failure: string | null;
}

const HEADS_END = Buffer.from("\r\n\r\n");
const LENGTH = /content-length: (\d+)/i;
const READ_BYTES = 65_536;
/** An answer that takes longer counts as a failure. */
const DRAIN_SECONDS = 10;

/** One keep-alive connection; one request at a time. `answered` gets the status and the whole answer. */
interface Connection {
  send(request: string, answered: (ok: boolean, answer: Buffer) => void): void;
  close(): void;
}

async function open(port: number): Promise<Connection> {
  let answered: ((ok: boolean, answer: Buffer) => void) | null = null;
  let received: Buffer | null = null;
  const finish = (ok: boolean, answer: Buffer) => {
    const told = answered;
    received = answered = null;
    told?.(ok, answer);
  };
  const read = (chunk: Buffer) => {
    const answer = received === null ? chunk : Buffer.concat([received, chunk]);
    const head = answer.indexOf(HEADS_END);
    const length = head < 0 ? Number.NaN : Number(LENGTH.exec(answer.toString("latin1", 0, head))?.[1]);
    // "HTTP/1.1 2..": the tenth byte shows success.
    if (answer.length >= head + HEADS_END.length + length) finish(answer[9] === 0x32, answer);
    else if (head >= 0 && Number.isNaN(length)) finish(false, answer);
    else received = Buffer.from(answer);
  };
  const socket: Socket = connect({
    port,
    host: "127.0.0.1",
    noDelay: true,
    // Reads into one buffer, without Node's streams.
    onread: {
      buffer: new Uint8Array(READ_BYTES),
      callback(bytes, buffer) {
        read(Buffer.from(buffer.buffer, 0, bytes));
        return true;
      },
    },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const gone = () => finish(false, Buffer.from("the connection was closed"));
  socket.on("error", gone);
  socket.on("close", gone);
  return {
    send(request, told) {
      answered = told;
      if (socket.destroyed) gone();
      else socket.write(request, "latin1");
    },
    close: () => socket.destroy(),
  };
}

/** Collects the answers to requests that began after the warm-up. */
function tally(from: number) {
  const times: number[] = [];
  let failures = 0;
  let failure: string | null = null;
  return {
    note(began: number, ok: boolean, answer: Buffer) {
      if (began < from) return;
      times.push(performance.now() - began);
      if (ok) return;
      failures++;
      failure ??= answer.toString("utf8").slice(0, 600);
    },
    result(seconds: number): LoadResult {
      const sorted = Float64Array.from(times).sort();
      const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
      return { perSecond: sorted.length / seconds, p50, p99, failures, failure };
    },
  };
}

async function run(load: Load): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => open(load.port)));
  const start = performance.now();
  const from = start + load.warmupSeconds * 1000;
  const until = from + load.seconds * 1000;
  const counted = tally(from);
  const next = requests(load);
  if (load.rate === null) await keepBusy(connections, next, until, counted.note);
  else await atRate(connections, next, { rate: load.rate, start, until }, counted.note);
  for (const connection of connections) connection.close();
  return counted.result(load.seconds);
}

type Note = (began: number, ok: boolean, answer: Buffer) => void;

async function keepBusy(connections: readonly Connection[], next: () => string, until: number, note: Note) {
  await Promise.all(
    connections.map(
      (connection) =>
        new Promise<void>((resolve) => {
          const again = () => {
            const began = performance.now();
            if (began >= until) return resolve();
            connection.send(next(), (ok, answer) => {
              note(began, ok, answer);
              // A refused connection fails within the call; a direct retry would grow the stack.
              if (ok) again();
              else setImmediate(again);
            });
          };
          again();
        }),
    ),
  );
}

/** Requests wait for a free connection when all are busy; the wait is part of their latency. */
async function atRate(
  connections: readonly Connection[],
  next: () => string,
  { rate, start, until }: { rate: number; start: number; until: number },
  note: Note,
) {
  const idle = [...connections];
  const waiting: number[] = [];
  let due = start;
  const dispatch = () => {
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      const began = waiting.shift();
      if (began === undefined) return void idle.push(connection);
      const used = connection;
      used.send(next(), (ok, answer) => {
        note(began, ok, answer);
        idle.push(used);
        if (waiting.length > 0) dispatch();
      });
    }
  };
  while (due < until) {
    for (const now = performance.now(); due <= now && due < until; due -= (Math.log(1 - Math.random()) * 1000) / rate)
      waiting.push(due);
    dispatch();
    await sleep(1);
  }
  const giveUpAt = performance.now() + DRAIN_SECONDS * 1000;
  while ((idle.length < connections.length || waiting.length > 0) && performance.now() < giveUpAt) await sleep(5);
  if (idle.length < connections.length) throw new Error(`some requests were not answered within ${DRAIN_SECONDS} s`);
}

serveParent(run);
