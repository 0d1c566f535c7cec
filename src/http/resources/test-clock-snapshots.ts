import { z } from "zod";
import { createSnapshot, removeSnapshot, rewindToSnapshot } from "../../flows/test-clock/snapshots.ts";
import { SnapshotCreate, SnapshotObject, SnapshotQuery, snapshotView } from "../../modules/clock-snapshots/schema.ts";
import { listSnapshots } from "../../modules/clock-snapshots/store.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { created, removed } from "../replies.ts";

// Also for a read-only account, as the clock itself.
const common = {
  audience: "clients",
  tag: { name: "Test clock", about: "The clock of a sandbox organisation, and snapshots to which it is rewound." },
  writes: false,
} as const;
const params = z.object({ id: z.string() });

/** The endpoints of interface 13.8: snapshots of a sandbox organisation. */
export const snapshotEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/test-clock/snapshots",
    summary: "List snapshots, newest first",
    permission: "test_clock:read",
    query: SnapshotQuery,
    replies: { 200: listOf(SnapshotObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listSnapshots(tx, wanted), snapshotView);
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/test-clock/snapshots",
    summary: "Make a snapshot of everything that the organisation has",
    permission: "test_clock:write",
    idempotent: true,
    body: SnapshotCreate,
    replies: { 201: SnapshotObject },
    async handle({ ctx, body }, tx) {
      return created(snapshotView(await createSnapshot(tx, ctx, body)));
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/test-clock/snapshots/{id}/rewind",
    summary: "Put everything back as a snapshot has it, the clock and due work too",
    permission: "test_clock:write",
    idempotent: true,
    params,
    replies: { 200: SnapshotObject },
    async handle({ ctx, params: { id } }, tx) {
      const view = snapshotView(await rewindToSnapshot(tx, ctx, id));
      return { status: 200, body: view, audit: { subject: id, after: view } };
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/test-clock/snapshots/{id}",
    summary: "Delete a snapshot",
    permission: "test_clock:write",
    params,
    replies: { 200: SnapshotObject },
    async handle({ params: { id } }, tx) {
      return removed(snapshotView(await removeSnapshot(tx, id)));
    },
  }),
];
