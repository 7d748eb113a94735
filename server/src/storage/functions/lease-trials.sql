-- Called only by nodes of version 0.1 while they are replaced; this version calls claim-trials.sql.
-- Leases trials that may run now to a worker: queued ones and those whose worker is gone, within the concurrency of
-- their evaluation and of their organization. Runs take turns, so that a large one does not keep a small one waiting.
-- Within a run the trial with the fewest attempts comes first: where the service is stopped again and again, the
-- interruptions are spread over all trials, and none uses up its attempts while others have not been tried. Claims are
-- serialised by an advisory lock, so that no limit is passed by a race.
create or replace function lease_trials(claimer text, max_trials integer, lease_ms double precision, max_attempts integer)
returns setof eval_trials language plpgsql as $$
declare
  chosen text[];
  runs text[];
begin
  perform pg_advisory_xact_lock(hashtextextended('trial claims', 0));
  perform end_lapsed_trials(max_attempts);
  with busy as (
    select organization_id, job_id, count(*)::integer as trials from eval_trials
    where status in ('running', 'scoring') and lease_until > clock_timestamp() group by 1, 2
  ), candidate as (
    select t.id, j.id as job_id, j.organization_id, j.created_at, t.attempt, t.position,
      row_number() over (partition by j.id order by t.attempt, t.position) as turn
    from eval_jobs j
    left join busy on busy.job_id = j.id
    cross join lateral (
      select o.id, o.attempt, o.position from eval_trials o
      where o.job_id = j.id and case o.status
        when 'queued' then o.retry_at is null or o.retry_at <= clock_timestamp()
        when 'running' then o.lease_until <= clock_timestamp()
        when 'scoring' then o.lease_until <= clock_timestamp()
        else false end
        and o.status in ('queued', 'running', 'scoring')
      order by o.attempt, o.position
      limit greatest(0, least(max_trials, j.concurrency - coalesce(busy.trials, 0)))) as t
    where j.finished_at is null and j.status in ('queued', 'running')
  ), ranked as (
    select c.*, row_number() over (partition by c.organization_id order by turn, created_at, position) as place
    from candidate c
  ), permitted as (
    select ranked.id, ranked.job_id from ranked join organizations o on o.id = ranked.organization_id
    where place <= coalesce((o.limits ->> 'concurrent_trials')::integer, 256)
      - coalesce((select sum(busy.trials) from busy where busy.organization_id = o.id), 0)
    order by turn, ranked.created_at, position limit max_trials
  )
  select array_agg(p.id), array_agg(distinct p.job_id) into chosen, runs from permitted p;
  if chosen is null then return; end if;
  perform 1 from eval_jobs j where j.id = any(runs) order by j.id for no key update;
  update eval_jobs j set status = 'running', started_at = coalesce(j.started_at, clock_timestamp())
    where j.id = any(runs) and j.status = 'queued';
  with claimed as (
    update eval_trials t set status = 'running', lease_holder = claimer, attempt = t.attempt + 1, retry_at = null,
      voided_attempts = case t.status when 'queued' then t.voided_attempts
        else t.voided_attempts || jsonb_build_object(
          'attempt', t.attempt, 'cause', 'platform', 'at', clock_timestamp(),
          'error', 'The service stopped or lost its lease while this attempt was running.') end,
      lease_until = clock_timestamp() + lease_ms * interval '1 millisecond', started_at = clock_timestamp()
    from eval_jobs j
    where t.id = any(chosen) and j.id = t.job_id and j.status = 'running' and (t.status = 'queued' or (t.status in ('running', 'scoring') and t.lease_until <= clock_timestamp()))
    returning t.id
  )
  select array_agg(c.id) into chosen from claimed c;
  insert into eval_events (job_id, type, trial_id, status, at)
    select t.job_id, 'trial_started', t.id, 'running', clock_timestamp() from eval_trials t
    where t.id = any(chosen) order by t.position;
  return query select t.* from eval_trials t where t.id = any(chosen) order by t.position;
end $$;
