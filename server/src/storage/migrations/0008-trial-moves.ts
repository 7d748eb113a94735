import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * The moves of a trial that must be whole, each as one trip. Every statement of a plpgsql function sees what was
 * committed before that statement began, so what comes after a lock counts what the last holder of the lock wrote. Rows
 * are locked in one order everywhere: the claims' lock, then runs by their ids, then trials.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index eval_jobs_unfinished on eval_jobs (created_at) where finished_at is null`.execute(db)
  await sql`create index eval_trials_ended on eval_trials (finished_at) where finished_at is not null`.execute(
    db,
  )
  for (const statement of [claimTrials, settleRun, finishTrial]) await sql.raw(statement).execute(db)
}

/**
 * Leases trials that may run now to a worker: queued ones and those whose worker is gone, within the concurrency of
 * their run and of their organization. Runs take turns, so that a large one does not keep a small one waiting. Claims
 * come one after the other, so that no limit is passed by a race.
 */
const claimTrials = `
create function claim_trials(claimer text, most integer, lease_ms double precision)
returns setof eval_trials language plpgsql as $$
declare
  chosen text[];
  runs text[];
begin
  perform pg_advisory_xact_lock(hashtextextended('trial claims', 0));
  with busy as (
    select organization_id, job_id, count(*)::integer as trials from eval_trials
    where status in ('running', 'scoring') and lease_until > clock_timestamp() group by 1, 2
  ), candidate as (
    select t.id, j.id as job_id, j.organization_id, j.created_at, t.position,
      row_number() over (partition by j.id order by t.position) as turn
    from eval_jobs j
    left join busy on busy.job_id = j.id
    cross join lateral (
      select o.id, o.position from eval_trials o
      where o.job_id = j.id and o.status in ('queued', 'running', 'scoring')
        and case o.status when 'queued' then j.status in ('queued', 'running')
          else o.lease_until <= clock_timestamp() end
      order by o.position
      limit greatest(0, least(most, j.concurrency - coalesce(busy.trials, 0)))) as t
    where j.finished_at is null
  ), ranked as (
    select c.*, row_number() over (partition by c.organization_id order by turn, created_at, position) as place
    from candidate c
  ), permitted as (
    select ranked.id, ranked.job_id from ranked join organizations o on o.id = ranked.organization_id
    where place <= coalesce((o.limits ->> 'concurrent_trials')::integer, 256)
      - coalesce((select sum(busy.trials) from busy where busy.organization_id = o.id), 0)
    order by turn, ranked.created_at, position limit most
  )
  select array_agg(p.id), array_agg(distinct p.job_id) into chosen, runs from permitted p;
  if chosen is null then return; end if;
  perform 1 from eval_jobs j where j.id = any(runs) order by j.id for no key update;
  update eval_jobs j set status = 'running', started_at = coalesce(j.started_at, clock_timestamp())
    where j.id = any(runs) and j.status = 'queued';
  with claimed as (
    update eval_trials t set status = 'running', lease_holder = claimer, attempt = t.attempt + 1,
      lease_until = clock_timestamp() + lease_ms * interval '1 millisecond', started_at = clock_timestamp()
    where t.id = any(chosen) and case t.status when 'queued' then true when 'running' then t.lease_until <= clock_timestamp()
      when 'scoring' then t.lease_until <= clock_timestamp() else false end
    returning t.id
  )
  select array_agg(c.id) into chosen from claimed c;
  insert into eval_events (job_id, type, trial_id, status, at)
    select t.job_id, 'trial_started', t.id, 'running', clock_timestamp() from eval_trials t
    where t.id = any(chosen) order by t.position;
  return query select t.* from eval_trials t where t.id = any(chosen) order by t.position;
end $$`

/** Counts what is over, for a run whose row is locked; when nothing is open any more the run ends, and says so once. */
const settleRun = `
create function settle_run(run text) returns boolean language plpgsql as $$
declare
  ended boolean;
  outcome text;
begin
  update eval_jobs j set completed_trials = counted.completed,
      finished_at = case when counted.open = 0 then clock_timestamp() end,
      status = case when j.status <> 'cancelled' and counted.open = 0 then 'succeeded' else j.status end
    from (
      select count(*) filter (where t.status in ('succeeded', 'failed', 'errored')) as completed,
        count(*) filter (where t.status in ('queued', 'running', 'scoring')) as open
      from eval_trials t where t.job_id = run) as counted
    where j.id = run returning counted.open = 0, j.status into ended, outcome;
  if ended then
    insert into eval_events (job_id, type, trial_id, status, at)
      values (run, 'run_finished', null, outcome, clock_timestamp()) on conflict do nothing;
  end if;
  return ended;
end $$`

/**
 * Writes the outcome of the attempt that its holder still has, owns the blobs it names and, where the trial is over by
 * it, tells so and settles the run. Events get their numbers under the lock of the run, so that a reader who has seen
 * one has seen all before it. A trial that goes back to the queue of a cancelled run is cancelled with it. Answers lost,
 * kept, or ended when the run is over by it.
 */
const finishTrial = `
create function finish_trial(run text, trial text, tried integer, holder text, outcome jsonb)
returns text language plpgsql as $$
declare
  cancelled boolean;
begin
  select j.status = 'cancelled' into cancelled from eval_jobs j where j.id = run for no key update;
  if cancelled and outcome ->> 'status' = 'queued' then
    outcome := jsonb_build_object('status', 'cancelled', 'finished_at', clock_timestamp());
  end if;
  update eval_trials t set (status, error, cause, passed, scores, steps, usage, output, artifacts, world_sha256,
      isolation, trace_id, finished_at, duration_ms)
    = (select o.status, o.error, o.cause, o.passed, o.scores, o.steps, o.usage, o.output, o.artifacts, o.world_sha256,
      o.isolation, o.trace_id, o.finished_at, o.duration_ms from jsonb_populate_record(t, outcome) as o),
      lease_holder = null, lease_until = null
    where t.id = trial and t.attempt = tried and t.lease_holder = holder and t.status in ('running', 'scoring');
  if not found then return 'lost'; end if;
  insert into blob_owners (sha256, owner)
    select named.sha256, 'trial ' || trial from (
      select outcome ->> 'world_sha256' as sha256
      union select artifact ->> 'sha256' from jsonb_array_elements(outcome -> 'artifacts') as artifact) as named
    where named.sha256 is not null on conflict do nothing;
  if outcome ->> 'status' not in ('succeeded', 'failed', 'errored', 'cancelled') then return 'kept'; end if;
  insert into eval_events (job_id, type, trial_id, status, at)
    values (run, 'trial_finished', trial, outcome ->> 'status', clock_timestamp());
  return case when settle_run(run) then 'ended' else 'kept' end;
end $$`
