import { z } from "zod";
import type { RecordKinds } from "../../flows/search/record-kind.ts";
import { addNote, removeNote } from "../../flows/timeline/notes.ts";
import { readTimeline } from "../../flows/timeline/read-timeline.ts";
import { assert } from "../../kernel/assert.ts";
import { CHANNELS } from "../../kernel/messages.ts";
import { MESSAGE_KINDS } from "../../modules/messages/types.ts";
import { NoteCreate, NoteObject, noteView } from "../../modules/notes/schema.ts";
import { pageQuery, text, timestamp } from "../../platform/schema.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Timeline", about: "What happened to a record, and what staff wrote about it." },
} as const;

const TimelineQuery = pageQuery(["evt", "aud", "mail", "msg", "note"], {
  subject: text(1, 200).describe("Id of the record; of a transaction, its reference."),
});

const TimelineEntry = z
  .discriminatedUnion("kind", [
    z.object({
      id: z.string(),
      kind: z.literal("event"),
      at: timestamp(),
      type: z.string(),
      detail: z
        .string()
        .nullable()
        .describe("What happened in more words, such as why a debit was returned; null where the type says it."),
      path: z.string(),
      deliveries: z.array(z.object({ id: z.string(), endpointId: z.string(), status: z.string(), attempts: z.int() })),
    }),
    z.object({
      id: z.string(),
      kind: z.literal("change"),
      at: timestamp(),
      action: z.string().describe("Method and path, such as `POST /invoices/{id}/send`."),
      actor: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
      changed: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
    }),
    z.object({
      id: z.string(),
      kind: z.literal("mail"),
      at: timestamp(),
      mail: z.string().describe("The kind of mail."),
      recipients: z.array(z.string()),
      status: z.string(),
      path: z.string(),
    }),
    z.object({
      id: z.string(),
      kind: z.literal("message"),
      at: timestamp(),
      channel: z.enum(CHANNELS),
      message: z.enum(MESSAGE_KINDS),
      recipient: z.string(),
      status: z.string(),
      path: z.string(),
    }),
    z.object({
      id: z.string(),
      kind: z.literal("made"),
      at: timestamp(),
      from: z
        .string()
        .nullable()
        .describe("Id of the record whose action made this one; of a transaction, its reference."),
      actor: z
        .object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() })
        .nullable()
        .describe("Who did it; null for a role that may not read the audit log."),
    }),
    z.object({
      id: z.string(),
      kind: z.literal("note"),
      at: timestamp(),
      text: z.string(),
      author: z.object({ id: z.string(), name: z.string() }),
    }),
  ])
  .meta({ id: "TimelineEntry" });

/** The endpoints of interface 14.2, timeline and notes. */
export const timelineEndpoints = (kinds: RecordKinds): readonly Endpoint[] => [
  endpoint({
    ...common,
    method: "GET",
    path: "/timeline",
    summary:
      "List what happened to a record, newest first: events with their deliveries, changes with their actors, mails, messages, notes",
    permission: "notes:read",
    query: TimelineQuery,
    replies: { 200: listOf(TimelineEntry) },
    async handle({ member, query }, tx) {
      assert(member, "only staff read timelines");
      return listed(
        { query },
        (wanted) => readTimeline(tx, kinds, member.role, wanted),
        (entry) => entry,
      );
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/notes",
    summary: "Write a note about a record",
    permission: "notes:write",
    idempotent: true,
    body: NoteCreate,
    replies: { 201: NoteObject },
    async handle({ ctx, member, body }, tx) {
      assert(member, "only staff write notes");
      const note = await addNote(tx, ctx, kinds, member.role, body);
      return { status: 201, body: noteView(note), audit: { subject: note.id, after: { subject: note.subject } } };
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/notes/{id}",
    summary: "Delete a note: your own, or any as an owner or admin",
    permission: "notes:write",
    params: z.object({ id: z.string() }),
    replies: { 200: NoteObject },
    async handle({ member, params: { id } }, tx) {
      assert(member, "only staff delete notes");
      const note = await removeNote(tx, member, id);
      return { status: 200, body: noteView(note), audit: { subject: id, before: { subject: note.subject } } };
    },
  }),
];
