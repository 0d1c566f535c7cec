-- Who issued an address decides about saved cards (interface 4.11): an API key or a member of staff. Of a link to the portal, null says that it was
-- mailed to the customer alone.
alter table payment_links rename column created_by_key to issued_by;
alter table portal_links rename column given_to_key to issued_by;
alter table portal_sessions rename column given_to_key to issued_by;
