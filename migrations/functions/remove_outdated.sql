-- Removes what is older than `p_before` of the next `p_limit` records of a kind after the id `p_after`; answers the id that was reached,
-- how many were removed, and whether there may be more. Ids of an organisation ascend with its clock, so the first that is younger ends the
-- search. As the owner of the tables, since the audit log can only grow for the service.
create or replace function remove_outdated(p_organisation text, p_what text, p_after text, p_before timestamptz, p_limit integer)
 returns table (reached text, removed bigint, more boolean)
language plpgsql security definer set search_path to 'public', 'pg_temp' as $$
#variable_conflict use_column
declare
  ids text[];
  times timestamptz[];
  young integer;
  n bigint;
begin
  if p_what = 'mailTexts' then
    select array_agg(p.id order by p.id), array_agg(p.at order by p.id) into ids, times
      from (select id, created_at as at from emails where organisation_id = p_organisation and id > p_after order by id limit p_limit) p;
  elsif p_what = 'webhookDeliveries' then
    select array_agg(p.id order by p.id), array_agg(p.at order by p.id) into ids, times
      from (select id, created_at as at from webhook_deliveries where organisation_id = p_organisation and id > p_after order by id limit p_limit) p;
  elsif p_what = 'proofsOfPayment' then
    select array_agg(p.id order by p.id), array_agg(p.at order by p.id) into ids, times
      from (select f.id, f.created_at as at from eft_proofs f join eft_orders o on o.organisation_id = p_organisation and o.id = f.order_id
             where f.organisation_id = p_organisation and f.id > p_after and o.status = any ('{paid,rejected,expired,cancelled}')
             order by f.id limit p_limit) p;
  elsif p_what = 'auditReads' then
    select array_agg(p.id order by p.id), array_agg(p.at order by p.id) into ids, times
      from (select id, at from audit_log where organisation_id = p_organisation and id > p_after order by id limit p_limit) p;
  elsif p_what = 'abandonedCheckouts' then
    select array_agg(p.id order by p.id), array_agg(p.at order by p.id) into ids, times
      from (select id, created_at as at from checkout_sessions where organisation_id = p_organisation and id > p_after order by id limit p_limit) p;
  end if;
  young := (select min(t.place) from unnest(times) with ordinality as t(at, place) where t.at >= p_before);
  more := young is null and coalesce(cardinality(ids), 0) = p_limit;
  if young is not null then ids := ids[1:young - 1]; end if;
  reached := coalesce(ids[cardinality(ids)], p_after);
  if p_what = 'mailTexts' then
    update emails set from_name = coalesce(from_name, ''), subject = coalesce(subject, ''), text_body = '', html_body = '', facts = null, secret_sealed = null
     where organisation_id = p_organisation and id = any (ids) and status <> all ('{queued,sending}') and html_body is distinct from '';
  elsif p_what = 'webhookDeliveries' then
    delete from webhook_deliveries where organisation_id = p_organisation and id = any (ids) and status <> 'pending';
  elsif p_what = 'proofsOfPayment' then
    delete from eft_proofs where organisation_id = p_organisation and id = any (ids);
    -- An order that is open now is looked at again.
    reached := '';
  elsif p_what = 'auditReads' then
    delete from audit_log where organisation_id = p_organisation and id = any (ids) and starts_with(action, 'GET ');
  elsif p_what = 'abandonedCheckouts' then
    update checkout_sessions set prefill = '{}', entered = '{}', metadata = '{}'
     where organisation_id = p_organisation and id = any (ids) and status <> 'completed'
       and not (prefill = '{}' and entered = '{}' and metadata = '{}');
  end if;
  get diagnostics n = row_count;
  removed := n;
  return next;
end $$;
revoke execute on function remove_outdated from public;
grant execute on function remove_outdated to tefo_app;
