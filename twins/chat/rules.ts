import type { Coverage } from '@diorama/twin-kit/kernel/twin'

/** How a rule is known: a public source with its date, or our own choice where nothing public says. */
type Source =
  | { readonly from: string; readonly date: string; readonly how: 'documented' | 'observed' }
  | 'chosen'

/** One rule of the service beyond the shapes of its methods, with the test that proves it. */
export interface RuleEvidence {
  readonly rule: string
  readonly status: 'done' | 'partial' | 'not emulated'
  readonly missing?: string
  readonly source: Source
  /** The file below this folder and the name of the test; undefined for what is not emulated. */
  readonly test?: readonly [file: string, name: string]
}

const reference: Source = {
  from: 'docs.slack.dev, as kept in slack-ruby/slack-api-ref',
  date: '2026-08-20',
  how: 'documented',
}
const observed = (from: string, date: string): Source => ({ from, date, how: 'observed' })

export const rules: readonly RuleEvidence[] = [
  {
    rule: 'Block Kit objects refuse properties that they do not know',
    status: 'done',
    source: observed('grafana/oncall#702', '2022-10-24'),
    test: ['blocks/blocks.test.ts', 'closes every object against properties it does not know'],
  },
  {
    rule: 'Block Kit limits, types and combinations, with JSON pointers',
    status: 'done',
    source: { from: 'slackapi SDK models and slackhq/hack-json-schema', date: '2026-06', how: 'documented' },
    test: [
      'blocks/blocks.test.ts',
      'refuses each broken rule in the words of the service, with a pointer to the place',
    ],
  },
  {
    rule: 'a section that is too long is reported with its parent first',
    status: 'done',
    source: observed('public log of a failed chat.postMessage', '2025'),
    test: ['blocks/blocks.test.ts', 'reports the parent first where a section is too long'],
  },
  {
    rule: 'wording of cross-field faults of blocks that no public answer shows',
    status: 'done',
    source: 'chosen',
    test: ['blocks/blocks.test.ts', 'limits what the blocks of one payload hold together'],
  },
  {
    rule: 'images in blocks are fetched and refused where that fails',
    status: 'not emulated',
    source: reference,
  },
  {
    rule: 'attachments with blocks refuse the keys of older attachments',
    status: 'done',
    source: observed('slackapi/node-slack-sdk#832, slackapi/java-slack-sdk#184, #187, #415', '2020-04-02'),
    test: [
      'blocks/payload.test.ts',
      'has attachments of known shape, and none beside blocks that clash with them',
    ],
  },
  {
    rule: 'a message has one table, shown at its end',
    status: 'done',
    source: reference,
    test: ['blocks/payload.test.ts', 'shows one table, at the end of the message'],
  },
  {
    rule: 'a markdown block is stored as the blocks that it is translated into',
    status: 'not emulated',
    source: reference,
  },
  {
    rule: 'only the creator or an admin renames a channel',
    status: 'done',
    source: reference,
    test: [
      'operations/conversations/rules.test.ts',
      'lets its creator and admins rename it, and no one else',
    ],
  },
  {
    rule: 'who may remove people from a channel',
    status: 'done',
    source: 'chosen',
    test: [
      'operations/conversations/rules.test.ts',
      'lets members remove each other from private channels, and only its creator and admins from public ones',
    ],
  },
  {
    rule: 'channels in which not everyone may post',
    status: 'done',
    source: reference,
    test: [
      'operations/conversations/rules.test.ts',
      'refuses posts where only admins, nobody, only replies or only roots are allowed',
    ],
  },
  {
    rule: 'guests see and do less than members',
    status: 'done',
    source: reference,
    test: ['operations/conversations/rules.test.ts', 'keeps from guests what only full members may do'],
  },
  {
    rule: 'a message is not edited while it is streamed',
    status: 'done',
    source: reference,
    test: ['operations/conversations/rules.test.ts', 'does not let a message be edited while it is streamed'],
  },
  {
    rule: 'unread counts are kept for each person and changed by marking',
    status: 'done',
    source: reference,
    test: [
      'operations/conversations/rules.test.ts',
      'counts the messages of others since they last read, and not their own',
    ],
  },
  {
    rule: 'canvases are files with permissions, edited one change at a time',
    status: 'done',
    source: reference,
    test: [
      'operations/files/documents.test.ts',
      'is edited by those who may write, one change at a time, and can be renamed',
    ],
  },
  {
    rule: 'cells of a list fit the types of their columns',
    status: 'done',
    source: reference,
    test: ['operations/files/documents.test.ts', 'takes only values that fit the types of its columns'],
  },
  {
    rule: 'names and handles that would mention everybody are refused',
    status: 'done',
    source: reference,
    test: ['tier2.test.ts', 'refuses display names and handles that would mention everybody'],
  },
  {
    rule: 'a scheduled message is not taken back in its last minute',
    status: 'done',
    source: reference,
    test: ['tier2.test.ts', 'does not take back a scheduled message in its last minute'],
  },
  {
    rule: 'answers have every field of the documented examples',
    status: 'done',
    source: reference,
    test: ['shapes.test.ts', 'are all compared where the method is emulated'],
  },
  {
    rule: 'errors of a method are among those it documents',
    status: 'done',
    source: reference,
    test: ['fuzz.test.ts', 'is answered in the service’s own way, and never fails inside'],
  },
]

/** The rules in the form of the coverage list. */
export const ruleCoverage: readonly Coverage[] = rules.map(({ rule, status, missing, source }) => ({
  operation: `rule: ${rule}`,
  status,
  ...(missing !== undefined && { missing }),
  evidence: source === 'chosen' ? 'chosen' : source.how,
}))
