-- Keys as the nodes of a distributed PostgreSQL take them: a plan and its first version refer to each other and are written one after the
-- other, and no key empties a column.

alter table plan_versions drop constraint plan_versions_organisation_id_plan_id_fkey;
alter table plan_versions add constraint plan_versions_organisation_id_plan_id_fkey
  foreign key (organisation_id, plan_id) references plans (organisation_id, id) deferrable initially deferred;
alter table disputes drop constraint disputes_organisation_id_reversal_id_fkey;
alter table disputes add constraint disputes_organisation_id_reversal_id_fkey
  foreign key (organisation_id, reversal_id) references reversals (organisation_id, id);
