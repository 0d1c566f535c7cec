-- The reference of a customer is unique by an index that no foreign key can refer to. PostgreSQL takes the strongest lock on a row for a change of
-- what a foreign key may refer to, and it makes everything wait that refers to the customer, in a circle with what is gathered.
create unique index customers_external_reference on customers (organisation_id, external_reference) where external_reference is not null;
alter table customers drop constraint customers_organisation_id_external_reference_key;
