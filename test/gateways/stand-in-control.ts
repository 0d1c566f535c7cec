import { json, type StandIn, type StandInActs, type StandInReply, type StandInRequest, UNKNOWN } from "./stand-in.ts";

/** The paths below it are the frame's own. */
export const CONTROL = "/_stand-in";

/** The control surface: what `StandIn` has, over HTTP. */
export async function controlled(standIn: StandIn, { method, path, text }: StandInRequest): Promise<StandInReply> {
  const given = text === "" ? undefined : JSON.parse(text);
  const [what = "", act = ""] = path.slice(CONTROL.length + 1).split("/");
  if (method === "GET") {
    if (what === "")
      return json(200, { type: standIn.type, url: standIn.url, acts: Object.keys(standIn.acts), ...HELP });
    if (what === "requests")
      return json(
        200,
        standIn.requests.map(({ rawBody: _, query, ...one }) => ({ ...one, query: String(query) })),
      );
    if (what === "notices")
      return json(
        200,
        standIn.notices.map(({ about, url }, index) => ({ index, about, url })),
      );
    if (what === "deliveries") return json(200, standIn.deliveries);
    if (what === "payments") return json(200, standIn.payments());
    return UNKNOWN;
  }
  if (what === "answers") standIn.failAnswers(given);
  else if (what === "notices") standIn.failNotices(given);
  else if (what === "mend") standIn.mend();
  else if (what === "release") await standIn.release();
  else if (what === "now") standIn.setNow(given.now === null ? null : new Date(given.now));
  else if (what === "resend") return json(200, { status: await standIn.resend(given.index, given.kind && given) });
  else if (what === "acts" && Object.hasOwn(standIn.acts, act)) {
    const run = standIn.acts[act as keyof StandInActs] as (...args: unknown[]) => unknown;
    return json(200, (await run(...(given ?? []))) ?? {});
  } else return UNKNOWN;
  return json(200, {});
}

const HELP = {
  "GET /_stand-in/requests | notices | deliveries | payments": "what came, was sent, and stands in the gateway's books",
  "POST /_stand-in/answers":
    '{"on": "POST /path", "kind": "error|silence|late|half|html|redirect|huge|garbled", "done": true, "times": 1}: how the next answers fail; done: the request took effect',
  "POST /_stand-in/notices":
    '{"kind": "lost|late|twice|forged|half|other amount", "amount": 12345, "times": 1}: how the next notices fail',
  "POST /_stand-in/mend": "drops the instructions that are left",
  "POST /_stand-in/release": "delivers the late ones",
  "POST /_stand-in/now": '{"now": "2027-03-01T10:00:00Z"}: its clock; null: the machine\'s',
  "POST /_stand-in/resend": '{"index": 0, "kind": "forged"}: delivers one again',
  "POST /_stand-in/acts/<act>": '["TEFO-…", "paid"]: what happens at the gateway; a list of arguments',
};
