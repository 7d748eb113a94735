import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const task = (id: string, assertions: readonly object[]) => ({
  ...{ test_id: id, test_name: 'A task of ours', service: 'chat', question: 'Say that the kiln is hot.' },
  answer: JSON.stringify({ assertions, ignore_fields: { global: ['updated_at'] } }),
  info: JSON.stringify({ seed_template: 'ember', impersonate_user_id: 'U_BOT', service: 'chat' }),
})

const tasks = [
  task('ember_1', [
    {
      diff_type: 'added',
      entity: 'messages',
      where: { channel_id: 'C_FORGE', message_text: { contains: 'hot' } },
      expected_count: 1,
    },
  ]),
  task('ember_2', [{ diff_type: 'added', entity: 'messages', where: {}, expected_count: { min: 1 } }]),
  task('ember_3', [
    { diff_type: 'removed', entity: 'messages', where: { message_text: { contains: 'cold' } } },
  ]),
]

const person = (id: string, name: string, isBot: boolean) => ({
  ...{ user_id: id, username: name, real_name: name, display_name: name },
  ...{ email: `${name}@ember.example`, is_bot: isBot },
})
const seed = {
  teams: [{ team_id: 'T_EMBER', team_name: 'Ember' }],
  users: [person('U_BOT', 'bot', true), person('U_ADA', 'ada', false)],
  channels: [{ channel_id: 'C_FORGE', channel_name: 'forge', topic_text: '', purpose_text: '' }],
  channel_members: [
    { channel_id: 'C_FORGE', user_id: 'U_BOT' },
    { channel_id: 'C_FORGE', user_id: 'U_ADA' },
  ],
  messages: [
    { message_id: '1700000000.000100', channel_id: 'C_FORGE', user_id: 'U_ADA', message_text: 'It is cold' },
  ],
}

/** A benchmark of three tasks in the shape of `agent-diff`, written by us: one is loose and one cannot be solved. */
export const writeBenchmark = async (folder: string): Promise<void> => {
  await writeFile(join(folder, 'train.jsonl'), tasks.map((one) => JSON.stringify(one)).join('\n'))
  await writeFile(join(folder, 'ember.json'), JSON.stringify(seed))
}
