import type { Reply } from "./endpoint.ts";

/** A record as the API shows it, and as the audit log stores it. */
type Shown = object & { readonly id: string };

/** 201 with the created record; the audit log stores it. */
export const created = (view: Shown): Reply => ({ status: 201, body: view, audit: { subject: view.id, after: view } });

/** 200 with the changed record; the audit log stores it before and after. */
export const changed = (before: Shown, after: Shown): Reply => ({
  status: 200,
  body: after,
  audit: { subject: after.id, before, after },
});

/** 200 with the removed record; the audit log stores it. */
export const removed = (view: Shown): Reply => ({ status: 200, body: view, audit: { subject: view.id, before: view } });
