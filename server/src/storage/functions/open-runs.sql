-- The evaluations of which a worker may claim a trial, as far as can be seen without a lock.
create or replace function open_runs(max_attempts integer)
returns table (id text, organization_id text, created_at timestamptz, concurrency integer, busy bigint,
  organization_limit integer, needs_organization boolean) language sql stable as $$
  with wanting as (
    select j.id, j.organization_id, j.created_at, j.concurrency,
      (select count(*) from eval_trials b where b.organization_id = j.organization_id and b.job_id = j.id
        and b.status in ('running', 'scoring') and b.lease_until > clock_timestamp()) as busy,
      coalesce((o.limits ->> 'concurrent_trials')::integer, 256) as organization_limit,
      sum(least(j.concurrency, j.total_trials - j.completed_trials)) over (partition by j.organization_id) as wanted
    from eval_jobs j join organizations o on o.id = j.organization_id
    where j.finished_at is null and j.status in ('queued', 'running')
  )
  select w.id, w.organization_id, w.created_at, w.concurrency, w.busy, w.organization_limit,
    w.wanted > w.organization_limit
  from wanting w
  where w.busy < w.concurrency and exists (
    select from eval_trials t where t.job_id = w.id and t.status in ('queued', 'running', 'scoring') and case t.status
      when 'queued' then t.retry_at is null or t.retry_at <= clock_timestamp()
      else t.lease_until <= clock_timestamp() and t.attempt < max_attempts end)
$$;
