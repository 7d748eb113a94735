-- After a dump was restored into another cluster: lets its transactions come after those of the rows that it brought.
-- Does nothing in the cluster that it has seen last.
create or replace function continue_transactions() returns boolean language plpgsql as $$
declare
  here text;
  newest numeric;
  behind numeric;
begin
  begin
    select system_identifier::text into here from pg_control_system();
  exception when insufficient_privilege then
    here := null;
  end;
  if exists (select from database_origin where system_identifier = here) then
    return false;
  end if;
  perform pg_advisory_xact_lock(4400, 4);
  newest := greatest(
    (select tx::text::numeric from events order by tx desc limit 1),
    (select tx::text::numeric from spans order by tx desc limit 1),
    (select tx::text::numeric from search_positions order by tx desc limit 1));
  -- A reader's place can lie after the newest row, by as many transactions as wrote something else meanwhile.
  behind := newest + 4294967296 - (pg_snapshot_xmax(pg_current_snapshot())::text::numeric + transaction_offset());
  if behind > 0 then
    execute format(
      'create or replace function transaction_offset() returns bigint language sql immutable parallel safe as %L',
      format('select %s::bigint', transaction_offset() + behind));
  end if;
  delete from database_origin;
  insert into database_origin select here where here is not null;
  return behind > 0;
end $$;
