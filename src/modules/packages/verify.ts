// Writes nothing. Reads: plans, plan_versions.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/** Plans against their versions: the newest one is in force, and none is missing (decisions.md#plan-versions-never-change). */
const plans = examination(
  "plans",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, plan_version_id from plans where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    versions as (
      select plan_id, count(*) as count, max(number) as newest from plan_versions
       where organisation_id = ${tx.organisation} and plan_id in (select id from part) group by plan_id),
    facts as (
      select p.id, p.plan_version_id, v.count, v.newest, n.id as newest_id from part p
        left join versions v on v.plan_id = p.id
        left join plan_versions n on n.organisation_id = ${tx.organisation} and n.plan_id = p.id and n.number = v.newest),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('plan_version_newest', f.newest_id, f.plan_version_id, true),
        ('plan_versions_numbered', f.newest::text, f.count::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const packageExaminations: readonly Examination[] = [plans];
