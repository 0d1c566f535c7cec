import { composeMails } from "../flows/mail/compose-mails.ts";
import { assert } from "../kernel/assert.ts";
import { completeWork, lockLeased } from "../platform/due-work.ts";
import { gathered } from "../platform/gather.ts";
import type { Handler, Job, WorkerParts } from "./job.ts";

const MAILS_TOGETHER = 100;

/** `mail.compose`: writes a requested mail once; mails of an organisation that are due together are written together. */
export function createComposeMail({
  services,
  mailer,
  mails,
}: Pick<WorkerParts, "services" | "mailer" | "mails">): Handler {
  const compose = gathered<Job, null>(
    (organisation, jobs) =>
      services.db.transaction(organisation, async (tx) => {
        const newest = jobs.at(-1);
        assert(newest, "a gathering has a job");
        const works = jobs.map(({ work }) => work);
        const ids = [...(await lockLeased(tx, works))];
        await composeMails(tx, newest.ctx, mails, { ids, sends: mailer.sends });
        completeWork(tx, works);
        return jobs.map(() => null);
      }),
    MAILS_TOGETHER,
  );
  return async (job) => {
    await compose(job.work.organisation, job);
    return "done";
  };
}
