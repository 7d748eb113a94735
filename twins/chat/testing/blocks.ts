import type { Surface } from '../blocks/schema.ts'

type Json = Record<string, unknown>

export const plain = (text: string) => ({ type: 'plain_text', text })
export const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
export const long = (length: number) => 'x'.repeat(length)
const option = (n: number | string = 1) => ({ text: plain(`Option ${n}`), value: `v${n}` })
export const many = <V>(count: number, make: (n: number) => V): V[] =>
  Array.from({ length: count }, (_, n) => make(n))
const rich = {
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x' }] }],
}
const button = { type: 'button', text: plain('Go') }
const picture = { type: 'image', image_url: 'https://a.example/b.png', alt_text: 'b' }
export const section = (accessory: unknown) => ({ type: 'section', text: mrkdwn('x'), accessory })
export const input = (element: unknown) => ({ type: 'input', label: plain('L'), element })
const actions = (...items: unknown[]) => ({ type: 'actions', elements: items })
export const raw_text = (text: string) => ({ type: 'raw_text', text })
export const pie = { type: 'pie', segments: [{ label: 'a', value: 1 }] }
const bars = (data: unknown, categories: unknown = ['a']) => ({
  type: 'data_visualization',
  title: 'T',
  chart: { type: 'bar', series: [{ name: 's', data }], axis_config: { categories } },
})

/** A good example of every block, with the surface that takes it. */
export const good: readonly (readonly [Json, Surface?])[] = [
  [actions(button, { type: 'datepicker', initial_date: '2026-02-28' })],
  [{ type: 'alert', text: plain('x'), level: 'warning' }, 'modal'],
  [{ type: 'call', call_id: 'R0CALL' }],
  [{ type: 'card', title: mrkdwn('x'), actions: [button], icon: picture }],
  [{ type: 'carousel', elements: [{ type: 'card', body: plain('x') }] }],
  [{ type: 'container', title: plain('x'), child_blocks: [{ type: 'divider' }] }],
  [{ type: 'context', elements: [mrkdwn('x'), picture] }],
  [
    {
      type: 'context_actions',
      elements: [
        {
          type: 'feedback_buttons',
          positive_button: { text: plain('+'), value: 'p' },
          negative_button: { text: plain('-'), value: 'n' },
        },
        { type: 'icon_button', icon: 'trash', text: plain('x') },
      ],
    },
  ],
  [{ type: 'data_table', caption: 'x', rows: [[raw_text('a')], [{ type: 'raw_number', value: 1 }]] }],
  [{ type: 'data_visualization', title: 'x', chart: pie }],
  [bars([{ label: 'a', value: 1 }])],
  [{ type: 'divider' }],
  [{ type: 'file', external_id: 'remote-1', source: 'remote' }],
  [{ type: 'header', text: { type: 'plain_text', text: 'x', emoji: true } }],
  [{ ...picture, title: plain('x') }],
  [{ type: 'image', slack_file: { id: 'F0IMAGE' }, alt_text: 'x' }],
  [input({ type: 'plain_text_input', multiline: true })],
  [input({ type: 'email_text_input' }), 'modal'],
  [{ type: 'markdown', text: '# x' }],
  [{ type: 'plan', title: 'x', tasks: [{ task_id: 't', title: 'x', status: 'complete' }] }],
  [rich],
  [{ type: 'rich_text', elements: [] }],
  [{ type: 'section', fields: [mrkdwn('x')] }],
  [section({ type: 'overflow', options: [{ ...option(), url: 'https://a.example' }] })],
  [{ type: 'table', rows: [[raw_text('a'), rich]], column_settings: [null, { align: 'right' }] }],
  [{ type: 'task_card', task_id: 't', title: 'x', details: rich }],
  [
    {
      type: 'video',
      alt_text: 'x',
      title: plain('x'),
      thumbnail_url: 'https://a.example/t.png',
      video_url: 'https://a.example/v',
    },
  ],
]

export const bad: readonly (readonly [unknown, string, Surface?])[] = [
  ['x', 'must provide an object '],
  [{}, 'missing required field: type '],
  [{ type: 'nonsense' }, 'unsupported type: nonsense /type'],
  [{ type: 'constructor' }, 'unsupported type: constructor /type'],
  [{ type: 'alert', text: plain('x') }, 'unsupported type: alert /type'],
  [{ type: 'markdown', text: 'x' }, 'unsupported type: markdown /type', 'modal'],
  [{ type: 'divider', text: 'x' }, 'invalid additional property: text '],
  [{ type: 'divider', block_id: long(256) }, 'must be less than 256 characters /block_id'],
  [{ type: 'section' }, 'must define either `text` or `fields` /type'],
  [{ type: 'section', text: mrkdwn('') }, 'must be more than 0 characters /text/text'],
  [{ type: 'section', text: 'x' }, 'must provide an object /text'],
  [{ type: 'section', text: { type: 'html', text: 'x' } }, 'unsupported type: html /text/type'],
  [{ type: 'section', text: { ...mrkdwn('x'), emoji: true } }, 'invalid additional property: emoji /text'],
  [
    { type: 'section', text: { ...plain('x'), verbatim: true } },
    'invalid additional property: verbatim /text',
  ],
  [{ type: 'section', fields: [] }, 'must provide at least 1 items /fields'],
  [{ type: 'section', fields: many(11, () => mrkdwn('x')) }, 'no more than 10 items allowed /fields'],
  [{ type: 'section', fields: [mrkdwn(long(2_001))] }, 'must be less than 2001 characters /fields/0/text'],
  [section({ type: 'datetimepicker' }), 'unsupported type: datetimepicker /accessory/type'],
  [section({ type: 'plain_text_input' }), 'unsupported type: plain_text_input /accessory/type'],
  [section({ type: 'image', alt_text: 'x' }), 'missing required field: image_url /accessory'],
  [section({ ...button, style: 'blue' }), 'must be a valid enum value /accessory/style'],
  [section({ ...button, style: null }), 'must provide a string /accessory/style'],
  [section({ ...button, text: mrkdwn('x') }), 'must be a valid enum value /accessory/text/type'],
  [section({ ...button, text: plain(long(76)) }), 'must be less than 76 characters /accessory/text/text'],
  [section({ ...button, value: long(2_001) }), 'must be less than 2001 characters /accessory/value'],
  [section({ ...button, url: 'nowhere' }), 'input must be a valid: uri /accessory/url'],
  [section({ ...button, url: `https://${long(3_000)}` }), 'must be less than 3001 characters /accessory/url'],
  [section({ ...button, confirm: { title: plain('x') } }), 'missing required field: text /accessory/confirm'],
  [
    section({ type: 'overflow', options: many(6, option) }),
    'no more than 5 items allowed /accessory/options',
  ],
  [
    section({ type: 'static_select', options: many(101, option) }),
    'no more than 100 items allowed /accessory/options',
  ],
  [section({ type: 'static_select' }), 'missing required field: options /accessory'],
  [
    section({
      type: 'static_select',
      options: [option()],
      option_groups: [{ label: plain('x'), options: [option()] }],
    }),
    'failed to match exactly one allowed schema /accessory',
  ],
  [
    section({ type: 'static_select', options: [{ ...option(), url: 'https://a.example' }] }),
    'invalid additional property: url /accessory/options/0',
  ],
  [
    section({ type: 'static_select', options: [option()], initial_option: option(2) }),
    '`initial_option` must match the options /accessory/initial_option',
  ],
  [
    section({ type: 'static_select', options: [option()], placeholder: plain(long(151)) }),
    'must be less than 151 characters /accessory/placeholder/text',
  ],
  [
    section({ type: 'checkboxes', options: many(11, option) }),
    'no more than 10 items allowed /accessory/options',
  ],
  [
    section({ type: 'static_select', options: [{ text: plain('x'), value: long(151) }] }),
    'must be less than 151 characters /accessory/options/0/value',
  ],
  [
    section({ type: 'static_select', options: [{ text: mrkdwn('x'), value: 'x' }] }),
    'must be a valid enum value /accessory/options/0/text/type',
  ],
  [
    section({ type: 'conversations_select', filter: {} }),
    'missing required field: include /accessory/filter',
  ],
  [
    section({ type: 'channels_select', response_url_enabled: true }),
    '`response_url_enabled` is only allowed in input blocks /accessory/response_url_enabled',
  ],
  [
    section({ type: 'datepicker', initial_date: '2026-02-30' }),
    'input must be a valid: date /accessory/initial_date',
  ],
  [
    section({ type: 'timepicker', initial_time: '25:00' }),
    'input must be a valid: time /accessory/initial_time',
  ],
  [actions(), 'must provide at least 1 items /elements'],
  [actions(...many(26, () => button)), 'no more than 25 items allowed /elements'],
  [actions(picture), 'unsupported type: image /elements/0/type'],
  [
    actions({ ...button, action_id: 'a' }, { ...button, action_id: 'a' }),
    '`action_id` "a" already exists /elements/1/action_id',
  ],
  [{ type: 'context', elements: many(11, () => mrkdwn('x')) }, 'no more than 10 items allowed /elements'],
  [{ type: 'context', elements: [button] }, 'unsupported type: button /elements/0/type'],
  [{ type: 'header', text: plain(long(151)) }, 'must be less than 151 characters /text/text'],
  [{ type: 'header', text: mrkdwn('x') }, 'must be a valid enum value /text/type'],
  [{ ...picture, alt_text: long(2_001) }, 'must be less than 2001 characters /alt_text'],
  [{ type: 'image', image_url: 'https://a.example' }, 'missing required field: alt_text '],
  [{ type: 'image', alt_text: 'x' }, 'missing required field: image_url '],
  [{ ...picture, slack_file: { id: 'F0IMAGE' } }, 'failed to match exactly one allowed schema '],
  [{ type: 'image', alt_text: 'x', slack_file: { id: 'F0NOTHING' } }, 'invalid slack file /slack_file'],
  [input(button), 'unsupported type: button /element/type'],
  [input({ type: 'email_text_input' }), 'unsupported type: email_text_input /element/type'],
  [
    input({ type: 'plain_text_input', min_length: 5, max_length: 3 }),
    '`min_length` must not be greater than `max_length` /element/min_length',
  ],
  [input({ type: 'plain_text_input', max_length: 3_001 }), 'must be less than 3000 /element/max_length'],
  [
    { ...input({ type: 'plain_text_input' }), label: plain(long(2_001)) },
    'must be less than 2001 characters /label/text',
  ],
  [
    { ...input({ type: 'file_input' }), dispatch_action: true },
    '`dispatch_action` is not allowed with `file_input` /dispatch_action',
    'modal',
  ],
  [{ type: 'markdown', text: long(12_001) }, 'must be less than 12001 characters /text'],
  [{ type: 'file', external_id: 'other', source: 'remote' }, 'file not found /external_id'],
  [{ type: 'call', call_id: 'R0NONE' }, 'invalid call /call_id'],
  [{ type: 'card' }, 'missing required field: title '],
  [{ type: 'card', title: 'x' }, 'must provide an object /title'],
  [
    { type: 'container', title: plain('x'), child_blocks: [{ type: 'container' }] },
    'unsupported type: container /child_blocks/0/type',
  ],
  [{ type: 'table', rows: many(101, () => [raw_text('x')]) }, 'no more than 100 items allowed /rows'],
  [{ type: 'table', rows: [many(21, () => raw_text('x'))] }, 'no more than 20 items allowed /rows/0'],
  [
    { type: 'data_table', caption: 'x', rows: [[raw_text('a')], [raw_text('a'), raw_text('b')]] },
    'all rows must have the same number of cells /rows/1',
  ],
  [
    { type: 'data_table', caption: 'x', rows: [[raw_text('a')], [{ type: 'raw_number' }]] },
    'missing required field: value /rows/1/0',
  ],
  [bars([{ label: 'b', value: 1 }]), 'data must have one point for each category /chart/series/0/data'],
  [
    {
      type: 'video',
      alt_text: 'x',
      title: plain(long(200)),
      thumbnail_url: 'https://a.example',
      video_url: 'https://a.example',
    },
    'must be less than 200 characters /title/text',
  ],
  [
    {
      type: 'video',
      alt_text: 'x',
      title: plain('x'),
      thumbnail_url: 'https://a.example',
      video_url: 'http://a.example',
    },
    'input must match regex pattern: ^https:\\/\\/ /video_url',
  ],
  [
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_list', style: 'dots', elements: [rich.elements[0]] }],
    },
    'must be a valid enum value /elements/0/style',
  ],
  [
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x', bold: true }] }],
    },
    'invalid additional property: bold /elements/0/elements/0',
  ],
]
