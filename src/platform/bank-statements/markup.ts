import { SaxesParser } from "saxes";
import { faulty } from "./fault.ts";

/** An element of a file as it ends. `path` are the names of the elements that hold it, and its own, without prefixes. */
export interface EndedElement {
  readonly path: readonly string[];
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Of the file, from 1. */
  readonly at: number;
}

/** Text of one element; a statement has none that is longer. */
const TEXT_MAX = 20_000;
const DEPTH_MAX = 40;
const DAMAGED =
  "from here on the file cannot be read: it is damaged or was cut off, so download it from the bank again";
/** Elements of one file: a line has ten to thirty, which have more than 13 bytes each. */
const ELEMENTS_MAX = 1_500_000;
/** Attributes of one element; a statement has one or two. */
const ATTRIBUTES_MAX = 50;
/** References to characters (`&amp;`, `&#38;`), of one element or of its attributes, and of one file. */
const REFERENCES_MAX = { element: 1_000, file: 500_000 };

const TOO_MANY_ELEMENTS = `the file has more than ${ELEMENTS_MAX} elements: send it in parts`;

/** Counts the references of a text before they are read; answers what is wrong once there are too many. */
function countsReferences(): (piece: string) => string | null {
  let [inFile, inElement] = [0, 0];
  return (piece) => {
    for (let at = 0; at < piece.length; at++) {
      const sign = piece.charCodeAt(at);
      if (sign === LESS) inElement = 0;
      else if (sign === AMPERSAND && (++inElement > REFERENCES_MAX.element || ++inFile > REFERENCES_MAX.file))
        return "the file has too many references such as &amp;";
    }
    return null;
  };
}

const [LESS, AMPERSAND] = ["<".charCodeAt(0), "&".charCodeAt(0)];

/**
 * The elements of an XML file in the order in which they end, as a stream. Throws 400 for a file that is not well
 * formed, that ends too early or that has a document type: entities are never read.
 */
export function* xmlElements(pieces: Iterable<string>): Generator<EndedElement> {
  const parser = new SaxesParser();
  const open: { name: string; text: string; attributes: Record<string, string> }[] = [];
  const ended: EndedElement[] = [];
  const refuse = (what: string) => {
    throw faulty([{ at: parser.line, column: null, what }]);
  };
  parser.on("doctype", () => refuse("a document type is not accepted: it could define entities"));
  parser.on("error", () => refuse(DAMAGED));
  const references = countsReferences();
  let [elements, attributesOfOne] = [0, 0];
  parser.on("opentagstart", () => {
    attributesOfOne = 0;
    if (++elements > ELEMENTS_MAX) refuse(TOO_MANY_ELEMENTS);
  });
  parser.on("attribute", () => {
    if (++attributesOfOne > ATTRIBUTES_MAX) refuse(`an element has more than ${ATTRIBUTES_MAX} attributes`);
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length === DEPTH_MAX) refuse("elements stand too deep in one another");
    open.push({ name: localName(name), text: "", attributes: attributes as Record<string, string> });
  });
  const add = (text: string) => {
    const last = open.at(-1);
    if (last && last.text.length < TEXT_MAX) last.text += text;
  };
  parser.on("text", add);
  parser.on("cdata", add);
  parser.on("closetag", () => {
    const path = open.map(({ name }) => name);
    const last = open.pop();
    if (last) ended.push({ path, text: last.text.trim(), attributes: last.attributes, at: parser.line });
  });
  for (const piece of pieces) {
    const tooMany = references(piece);
    if (tooMany !== null) refuse(tooMany);
    parser.write(piece);
    yield* ended.splice(0);
  }
  parser.close();
  yield* ended.splice(0);
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

const decodedEntities = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,6})|([a-z]{2,4}));/g, (whole, code: string | undefined, name: string | undefined) =>
    code === undefined ? (ENTITIES[name ?? ""] ?? whole) : safeCharacter(Number(code)),
  );

const safeCharacter = (code: number): string => (code > 31 && code < 0xd800 ? String.fromCodePoint(code) : " ");

/** Names of elements in SGML. */
export interface SgmlNames {
  /** Of those that hold others. */
  readonly holding: RegExp;
  /** Of those that never hold one of their own name: they end where the next begins, and where what holds them ends. */
  readonly repeated: RegExp;
}

/**
 * As `xmlElements`, for the SGML of OFX 1: an element that holds text need not be closed, and an element without text
 * holds others only when its name says so. The header is left out. Throws 400 for a document type, and for a file that
 * ends too early.
 */
export function* sgmlElements(pieces: Iterable<string>, names: SgmlNames): Generator<EndedElement> {
  const open: string[] = [];
  const references = countsReferences();
  let [rest, at, elements] = ["", 1, 0];
  for (const piece of pieces) {
    const tooMany = references(piece);
    if (tooMany !== null) throw faulty([{ at, column: null, what: tooMany }]);
    rest += piece;
    const tags = /<([!/?]?)([^<>]*)>([^<]*)(?=<)/g;
    let done = 0;
    for (let tag = tags.exec(rest); tag; tag = tags.exec(rest)) {
      if (++elements > 2 * ELEMENTS_MAX) throw faulty([{ at, column: null, what: TOO_MANY_ELEMENTS }]);
      at += breaksIn(rest.slice(done, tag.index));
      yield* endedBy(tag, { open, ...names }, at);
      at += breaksIn(tag[0]);
      done = tags.lastIndex;
    }
    rest = rest.slice(done);
    if (rest.length > 2 * TEXT_MAX + 65_536)
      throw faulty([{ at, column: null, what: `a text has more than ${TEXT_MAX} characters, or the file is not OFX` }]);
  }
  const last = /^[^<]*<\/([^<>]*)>\s*$/.exec(rest)?.[1];
  if (last === undefined || open.length !== 1 || open[0] !== last.toUpperCase())
    throw faulty([{ at, column: null, what: "the file ends too early: it may be cut off" }]);
}

interface Opened extends SgmlNames {
  readonly open: string[];
}

function* endedBy(
  [, kind, name = "", text = ""]: RegExpExecArray,
  { open, holding, repeated }: Opened,
  at: number,
): Generator<EndedElement> {
  const tag = name.trim().toUpperCase();
  const unended = (from: number): EndedElement[] =>
    open.flatMap((one, place) =>
      place >= from && repeated.test(one) ? [{ path: open.slice(0, place + 1), text: "", attributes: {}, at }] : [],
    );
  if (kind === "!")
    throw faulty([{ at, column: null, what: "a document type is not accepted: it could define entities" }]);
  if (kind === "?") return;
  if (kind === "/") {
    const from = open.lastIndexOf(tag);
    if (from < 0 && repeated.test(tag)) throw faulty([{ at, column: tag, what: UNBEGUN }]);
    if (from < 0) return;
    yield* unended(from + 1);
    yield { path: open.slice(0, from + 1), text: "", attributes: {}, at };
    open.splice(from);
  } else if (text.trim() === "") {
    if (!holding.test(tag)) return;
    const before = repeated.test(tag) ? open.findIndex((name) => repeated.test(name)) : -1;
    if (before >= 0) {
      yield* unended(before);
      open.splice(before);
    }
    if (open.length === DEPTH_MAX) throw faulty([{ at, column: null, what: "elements stand too deep in one another" }]);
    open.push(tag);
  } else yield { path: [...open, tag], text: decodedEntities(text).trim(), attributes: {}, at };
}

const UNBEGUN =
  "a transaction ends here without its start tag: the file is damaged, so download it from the bank again";

const breaksIn = (text: string): number => text.split("\n").length - 1;
