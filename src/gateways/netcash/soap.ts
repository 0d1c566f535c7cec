import { SaxesParser } from "saxes";

/** Arguments of a method in the order of its description: the service reads a sequence. A value may be text that comes in pieces. */
export type SoapArguments = readonly (readonly [name: string, value: string | AsyncIterable<string>])[];

/** The envelope of a call of SOAP 1.1 in pieces, so that a file in it need not be in memory as a whole (decisions.md#envelopes-by-hand). */
export async function* envelope(method: string, args: SoapArguments): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">`;
  yield `<soap:Body><${method} xmlns="http://tempuri.org/">`;
  for (const [name, value] of args) {
    yield `<${name}>`;
    if (typeof value === "string") yield escaped(value);
    else for await (const piece of value) yield escaped(piece);
    yield `</${name}>`;
  }
  yield `</${method}></soap:Body></soap:Envelope>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Text as XML has it. What XML 1.0 cannot hold at all is left out. */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);

/** An element of an answer by its local name: prefixes vary. Text of an element with children is not kept. */
export interface SoapElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly SoapElement[];
}

/** More elements than any answer has. */
const ELEMENTS_MAX = 10_000;
const DEPTH_MAX = 32;

/**
 * The result of a method in an answer, or null: text that is not well-formed to its end, that declares a document type
 * or uses an entity other than XML's own five, or an envelope without the result, such as a fault. Never throws.
 */
export function readResult(xml: string, method: string): SoapElement | null {
  try {
    const root = parse(xml);
    const body = root.name === "Envelope" ? root.children.find(({ name }) => name === "Body") : undefined;
    const response = body?.children.find(({ name }) => name === `${method}Response`);
    return response?.children.find(({ name }) => name === `${method}Result`) ?? null;
  } catch {
    return null;
  }
}

interface Open {
  readonly name: string;
  text: string;
  readonly children: SoapElement[];
}

/** Throws for anything but one well-formed document without a document type. */
function parse(xml: string): SoapElement {
  const parser = new SaxesParser({ position: false });
  const document: Open = { name: "", text: "", children: [] };
  const open: Open[] = [document];
  let elements = 0;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new Error("a document type is declared");
  });
  parser.on("opentag", ({ name }) => {
    if (++elements > ELEMENTS_MAX || open.length > DEPTH_MAX) throw new Error("too many elements");
    open.push({ name: name.slice(name.indexOf(":") + 1), text: "", children: [] });
  });
  const read = (text: string) => {
    const element = open.at(-1);
    if (element) element.text += text;
  };
  parser.on("text", read);
  parser.on("cdata", read);
  parser.on("closetag", () => {
    const closed = open.pop();
    if (closed) open.at(-1)?.children.push(closed);
  });
  parser.write(xml).close();
  const [root] = document.children;
  if (!root) throw new Error("no element");
  return root;
}

/** The text of a child by its name; empty when there is none. */
export const textOf = (element: SoapElement, name: string): string =>
  element.children.find((child) => child.name === name)?.text.trim() ?? "";

/** All text below an element, in order, each piece trimmed and not empty. */
export const textsIn = (element: SoapElement | undefined): readonly string[] =>
  element ? [element.text.trim(), ...element.children.flatMap(textsIn)].filter((text) => text !== "") : [];
