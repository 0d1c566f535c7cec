-- The organisation of this transaction, with which every policy compares; null when none is set.
create or replace function app_organisation() returns text language sql stable parallel safe
  return nullif(current_setting('app.organisation_id', true), '');
