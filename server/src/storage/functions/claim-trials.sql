-- Leases trials that may run now to a worker: queued ones and those whose worker is gone, within the concurrency of
-- their evaluation and of their organization. Runs share what a worker may take, so that a large one does not keep a small
-- one waiting. Within a run the trial with the fewest attempts comes first: where the service is stopped again and again,
-- the interruptions are spread over all trials, and none uses up its attempts while others have not been tried.
--
-- Claims are sharded by run: each run has its own lock, and a run that another worker is claiming from is passed over,
-- unless it may be waited for. Those who wait take locks in one order (an organization's, then its runs' by their ids), and
-- those who do not wait hold up none of them for long. The limit of an organization needs its lock only where its runs could
-- pass it together: else the limits of the runs keep it. Nodes of an earlier version take the lock of all claims alone; we
-- take it together.
create or replace function claim_trials(
  claimer text, max_trials integer, lease_ms double precision, max_attempts integer, may_wait boolean)
returns setof eval_trials language plpgsql as $$
declare
  run record;
  runs integer;
  room integer;
  share integer;
  chosen text[];
  claimed text[] := '{}';
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('trial claims', 0));
  select count(*) into runs from open_runs(max_attempts);
  if runs = 0 then return; end if;
  share := ceil(max_trials::numeric / runs);
  for turn in 1..2 loop
    for run in select * from open_runs(max_attempts) o
      order by case when may_wait then o.organization_id end, case when may_wait then o.id end, o.busy, o.created_at
    loop
      exit when cardinality(claimed) >= max_trials;
      if may_wait then
        if run.needs_organization then
          perform pg_advisory_xact_lock(hashtextextended('trials of organization ' || run.organization_id, 0));
        end if;
        perform pg_advisory_xact_lock(hashtextextended('trials of ' || run.id, 0));
      else
        continue when not pg_try_advisory_xact_lock(hashtextextended('trials of ' || run.id, 0));
        continue when run.needs_organization and not pg_try_advisory_xact_lock(
          hashtextextended('trials of organization ' || run.organization_id, 0));
      end if;
      -- Counted again, now that no other worker can change it.
      select least(run.concurrency - count(*) filter (where b.job_id = run.id), run.organization_limit - count(*))
        into room from eval_trials b
        where b.organization_id = run.organization_id and b.status in ('running', 'scoring')
          and b.lease_until > clock_timestamp() and (run.needs_organization or b.job_id = run.id);
      room := least(room, max_trials - cardinality(claimed), case turn when 1 then share else max_trials end);
      continue when room <= 0;
      select array_agg(c.id) into chosen from (
        select t.id from eval_trials t
        where t.job_id = run.id and t.status in ('queued', 'running', 'scoring') and case t.status
          when 'queued' then t.retry_at is null or t.retry_at <= clock_timestamp()
          else t.lease_until <= clock_timestamp() and t.attempt < max_attempts end
        order by t.attempt, t.position limit room) as c;
      continue when chosen is null;
      perform 1 from eval_jobs j where j.id = run.id for no key update;
      update eval_jobs j set status = 'running', started_at = coalesce(j.started_at, clock_timestamp())
        where j.id = run.id and j.status = 'queued';
      with taken as (
        update eval_trials t set status = 'running', lease_holder = claimer, attempt = t.attempt + 1, retry_at = null,
          voided_attempts = case t.status when 'queued' then t.voided_attempts
            else t.voided_attempts || jsonb_build_object(
              'attempt', t.attempt, 'cause', 'platform', 'at', clock_timestamp(),
              'error', 'The service stopped or lost its lease while this attempt was running.') end,
          lease_until = clock_timestamp() + lease_ms * interval '1 millisecond', started_at = clock_timestamp()
        from eval_jobs j
        where t.id = any(chosen) and j.id = t.job_id and j.status = 'running'
          and (t.status = 'queued' or (t.status in ('running', 'scoring') and t.lease_until <= clock_timestamp()))
        returning t.id, t.position
      ), announced as (
        insert into eval_events (job_id, type, trial_id, status, at)
          select run.id, 'trial_started', taken.id, 'running', clock_timestamp() from taken order by taken.position
      )
      select claimed || coalesce(array_agg(taken.id), '{}') into claimed from taken;
    end loop;
  end loop;
  return query select t.* from eval_trials t where t.id = any(claimed) order by t.position;
end $$;
