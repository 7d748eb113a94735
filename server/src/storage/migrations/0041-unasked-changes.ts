import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Suites that were there before report unasked changes and go on passing; new ones fail by default. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table task_suites add column unasked_changes text not null default 'warn'`.execute(db)
  await sql`alter table eval_trials add column unasked_changes jsonb`.execute(db)
  await sql.raw(noteUnasked).execute(db)
}

/** Takes the report out of the outcome that \`finish_trial\` writes, in the same transaction. */
const noteUnasked = `
create function finish_trial_noting(run text, trial text, tried integer, holder text, outcome jsonb)
returns text language plpgsql as $$
declare
  finished text;
begin
  finished := finish_trial(run, trial, tried, holder, outcome);
  if finished <> 'lost' and outcome ? 'unasked_changes' then
    update eval_trials t set unasked_changes = outcome -> 'unasked_changes' where t.id = trial;
  end if;
  return finished;
end $$`
