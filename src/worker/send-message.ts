import { clockOf } from "../flows/context.ts";
import { messagingCallOf, providerOf } from "../flows/messages/accounts.ts";
import { whyNotAsked } from "../flows/messages/asked-debt.ts";
import { GatewayUnclear } from "../gateways/http.ts";
import type { SendAnswer } from "../gateways/messaging/contract.ts";
import { MESSAGE_SEND } from "../modules/messages/declarations.ts";
import { isAnswer, leavesAt } from "../modules/messages/rules.ts";
import {
  beginMessage,
  findMessageAccount,
  giveUpMessage,
  hasOptedOut,
  putOffMessage,
  recordMessage,
} from "../modules/messages/store.ts";
import type { Message, MessageAccount } from "../modules/messages/types.ts";
import type { Tx } from "../platform/database.ts";
import { completeWork, enqueue, lockLeased, requireLeased, retryLater } from "../platform/due-work.ts";
import type { Handler, Job, WorkerParts } from "./job.ts";
import { ATTEMPTS_MAX, exponentialBackOff } from "./perform.ts";

const OF_SANDBOX = "This organisation is a sandbox, so its messages are not sent.";

type Outcome = SendAnswer | { readonly kind: "unclear"; readonly reason: string };

/**
 * `message.send`: gives a message to its provider at most once. It is committed as `sending` before the provider is
 * called; a later attempt that finds it in that status marks it `unknown` and does not send it again
 * (decisions.md#mail-is-sent-at-most-once). The provider's report may still say what became of it.
 */
export function createSendMessage({ services }: Pick<WorkerParts, "services">): Handler {
  const { db } = services;

  const begin = ({ work, ctx }: Job) =>
    db.transaction(work.organisation, async (tx) => {
      await requireLeased(tx, work);
      const message = await beginMessage(tx, work.subject);
      if (!message) giveUpMessage(tx, work.subject);
      const account = message && (await isStillAsked(tx, message)) ? await accountFor(tx, message) : null;
      if (!message || !account) {
        completeWork(tx, [work]);
        return null;
      }
      const now = clockOf(ctx.organisation);
      const leaves = leavesAt(message.kind, now);
      if (leaves > now) {
        putOffMessage(tx, message.id, leaves);
        enqueue(tx, MESSAGE_SEND, message.id, leaves);
        return null;
      }
      // Real phones get nothing from a sandbox: only a stand-in of the provider takes its messages.
      if (ctx.organisation.sandbox && messagingCallOf(services, ctx, account).baseUrl === null) {
        recordMessage(tx, message.id, { status: "not_sent", error: OF_SANDBOX, ref: null, sentAt: null });
        completeWork(tx, [work]);
        return null;
      }
      return { message, account };
    });

  const end = ({ work, ctx }: Job, { id }: Message, outcome: Outcome): Promise<void> =>
    db.transaction(work.organisation, async (tx) => {
      const now = clockOf(ctx.organisation);
      if (outcome.kind !== "later" || work.attempt >= ATTEMPTS_MAX) {
        recordMessage(tx, id, { ...resultOf(outcome), sentAt: outcome.kind === "accepted" ? now : null });
        completeWork(tx, [work]);
        return;
      }
      recordMessage(tx, id, { status: "queued", error: outcome.reason, ref: null, sentAt: null });
      // In real time, not by the organisation's clock, since the provider is a real one.
      if ((await lockLeased(tx, [work])).has(work.subject))
        retryLater(tx, work, exponentialBackOff(work.attempt), outcome.reason);
      else enqueue(tx, MESSAGE_SEND, work.subject, now);
    });

  return async (job) => {
    const begun = await begin(job);
    if (!begun) return "done";
    const { message, account } = begun;
    const { id, recipient: to, text, kind, parts } = message;
    const outcome = await providerOf(account)
      .send({ id, to, text, kind, parts }, messagingCallOf(services, job.ctx, account))
      .catch((error: unknown): Outcome => {
        if (!(error instanceof GatewayUnclear)) throw error;
        return { kind: "unclear", reason: "The provider did not answer, so it may have been sent." };
      });
    services.log.info({ organisation: job.work.organisation, message: id, outcome: outcome.kind }, "message");
    await end(job, message, outcome);
    return "done";
  };
}

/** Whether what the message asks for is still to be paid; if not, it is not sent. */
async function isStillAsked(tx: Tx, message: Message): Promise<boolean> {
  const why = await whyNotAsked(tx, message);
  if (why !== null) recordMessage(tx, message.id, { status: "not_sent", error: why, ref: null, sentAt: null });
  return why === null;
}

/** The account that sends the message; null, and the message has failed, when it must not be sent any more. */
async function accountFor(tx: Tx, message: Message): Promise<MessageAccount | null> {
  const account = await findMessageAccount(tx, message.channel);
  const optedOut = !isAnswer(message.kind) && (await hasOptedOut(tx, message.recipient));
  const why = optedOut
    ? "The owner of this number has asked for no more messages."
    : account?.enabled && account.provider === message.provider
      ? null
      : "The provider that was to send it is not connected any more.";
  if (why === null) return account;
  recordMessage(tx, message.id, { status: "failed", error: why, ref: null, sentAt: null });
  return null;
}

function resultOf(outcome: Outcome): {
  status: "sent" | "failed" | "unknown";
  error: string | null;
  ref: string | null;
} {
  switch (outcome.kind) {
    case "accepted":
      return { status: "sent", error: null, ref: outcome.ref };
    case "unclear":
      return { status: "unknown", error: outcome.reason, ref: null };
    default:
      return { status: "failed", error: outcome.reason, ref: null };
  }
}
