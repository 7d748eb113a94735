import { elements, imageElement, urlSource } from './elements.ts'
import { blockId, icon, rawNumber, rawText, slackFile, type } from './objects.ts'
import { richTextBlock, richTextValue } from './rich-text.ts'
import {
  anyOf,
  chartSeries,
  collapsible,
  dataTable,
  exactlyOne,
  excludes,
  knownCall,
  noDispatchWithFiles,
  noResponseUrl,
  remoteFile,
  responseUrl,
  sectionContent,
  uniqueActions,
} from './rules.ts'
import {
  anything,
  bool,
  type Fields,
  filled,
  int,
  list,
  type ObjectSchema,
  object,
  oneOf,
  pick,
  plain,
  type Rule,
  required,
  type Surface,
  str,
  text,
  typed,
  uri,
} from './schema.ts'

const block = (fields: Fields, ...rules: readonly Rule[]): ObjectSchema =>
  object({ type, ...fields, block_id: blockId }, ...rules)
const on = (schema: ObjectSchema, ...surfaces: readonly Surface[]): ObjectSchema => ({ ...schema, surfaces })

const selects = [
  'static_select',
  'external_select',
  'users_select',
  'conversations_select',
  'channels_select',
  'multi_static_select',
  'multi_external_select',
  'multi_users_select',
  'multi_conversations_select',
  'multi_channels_select',
]
const pickers = ['checkboxes', 'radio_buttons', 'datepicker', 'timepicker', ...selects]
const accessories = pick(elements, ...pickers, 'button', 'image', 'overflow', 'workflow_button')
const inActions = pick(
  elements,
  ...pickers,
  'button',
  'datetimepicker',
  'overflow',
  'workflow_button',
  'rich_text_input',
)
const inInput = pick(
  elements,
  ...pickers,
  'datetimepicker',
  'plain_text_input',
  'email_text_input',
  'url_text_input',
  'number_input',
  'rich_text_input',
  'file_input',
)
const inContext: Readonly<Record<string, ObjectSchema>> = {
  image: imageElement,
  plain_text: object({ type, text: required(filled(3_000)), emoji: bool }),
  mrkdwn: object({ type, text: required(filled(3_000)), verbatim: bool }),
}
const image = typed({ image: imageElement })

const card = on(
  block(
    {
      hero_image: image,
      icon: image,
      slack_icon: icon,
      title: text(150),
      subtitle: text(150),
      body: text(200),
      subtext: text(200),
      actions: list(typed(pick(elements, 'button')), 1, 3),
    },
    anyOf('title', 'hero_image', 'actions', 'body'),
    excludes('icon', 'slack_icon'),
  ),
  'message',
  'home',
)

const taskCard = on(
  block({
    task_id: required(filled()),
    title: required(filled()),
    details: richTextValue,
    output: richTextValue,
    sources: list(typed({ url: urlSource })),
    status: oneOf('pending', 'in_progress', 'complete', 'error'),
    icon: anything,
    hide_title: bool,
  }),
  'message',
)

const cell = (types: Readonly<Record<string, ObjectSchema>>) =>
  list(typed({ rich_text: richTextBlock, raw_text: rawText, ...types }), 1, 20)

const name = filled(20)
const segments = required(
  list(object({ label: required(name), value: required({ is: 'number', min: 0 }) }), 1, 6),
)
const points = list(object({ label: required(name), value: required({ is: 'number' }) }), 1, 20)
const axes = object(
  {
    type,
    series: required(list(object({ name: required(name), data: required(points) }), 1, 6)),
    axis_config: required(
      object({
        categories: required(list(name, 1, 20)),
        x_label: str({ max: 50 }),
        y_label: str({ max: 50 }),
      }),
    ),
  },
  chartSeries,
)
const chart = typed({ pie: object({ type, segments }), line: axes, bar: axes, area: axes })

const flat: Readonly<Record<string, ObjectSchema>> = {
  actions: block(
    { elements: required(list(typed(inActions), 1, 25)) },
    uniqueActions,
    noResponseUrl('elements'),
  ),
  alert: on(
    block({ text: required(text(200)), level: oneOf('default', 'info', 'warning', 'error', 'success') }),
    'modal',
  ),
  call: block({ call_id: required(filled()), api_decoration_available: bool, call: anything }, knownCall),
  card,
  carousel: on(block({ elements: required(list(typed({ card }), 1, 10)) }), 'message', 'home'),
  context: block({ elements: required(list(typed(inContext), 1, 10)) }),
  context_actions: on(
    block(
      { elements: required(list(typed(pick(elements, 'feedback_buttons', 'icon_button')), 1, 5)) },
      uniqueActions,
    ),
    'message',
  ),
  data_table: on(
    block(
      {
        caption: required(filled()),
        rows: required(list(cell({ raw_number: rawNumber }), 2, 101)),
        page_size: int(1, 100),
        row_header_column_index: int(0, 19),
      },
      dataTable,
    ),
    'message',
  ),
  data_visualization: on(block({ title: required(filled(50)), chart: required(chart) }), 'message', 'home'),
  divider: block({}),
  file: block({ external_id: required(filled()), source: required(oneOf('remote')) }, remoteFile),
  header: block({ text: required(plain(150)), level: int(1, 4) }),
  image: block(
    {
      alt_text: required(filled(2_000)),
      image_url: uri(3_000),
      slack_file: slackFile,
      title: plain(2_000),
    },
    exactlyOne('image_url', 'slack_file'),
  ),
  input: block(
    {
      label: required(plain(2_000)),
      element: required(typed(inInput)),
      dispatch_action: bool,
      hint: plain(2_000),
      optional: bool,
    },
    noDispatchWithFiles,
    responseUrl,
  ),
  markdown: on(block({ text: required(filled(12_000)) }), 'message'),
  plan: on(
    block({
      title: required({ is: 'either', string: filled(), object: plain(3_000) }),
      tasks: list(typed({ task_card: taskCard }, 'task_card')),
    }),
    'message',
  ),
  rich_text: richTextBlock,
  section: block(
    {
      text: { ...text(3_000), wrapped: true },
      fields: list(text(2_000), 1, 10),
      accessory: typed(accessories),
      expand: bool,
    },
    sectionContent,
    noResponseUrl('accessory'),
  ),
  table: on(
    block({
      rows: required(list(cell({}), 1, 100)),
      column_settings: list(
        { is: 'nullable', of: object({ align: oneOf('left', 'center', 'right'), is_wrapped: bool }) },
        0,
        20,
      ),
    }),
    'message',
  ),
  task_card: taskCard,
  video: block({
    alt_text: required(filled()),
    title: required(plain(199)),
    thumbnail_url: required(uri()),
    video_url: required({ ...uri(), pattern: /^https:\/\// }),
    author_name: str({ max: 49 }),
    description: plain(199),
    provider_icon_url: uri(),
    provider_name: filled(),
    title_url: { ...uri(), pattern: /^https:\/\// },
  }),
}

const inContainer = pick(
  flat,
  'actions',
  'context',
  'divider',
  'file',
  'header',
  'image',
  'input',
  'rich_text',
  'section',
  'table',
  'video',
)

/** Every block by its type. */
export const blocks: Readonly<Record<string, ObjectSchema>> = {
  ...flat,
  container: on(
    block(
      {
        title: plain(150),
        rich_text_title: richTextValue,
        subtitle: text(150),
        icon: image,
        width: oneOf('narrow', 'standard', 'wide', 'full'),
        is_collapsible: bool,
        default_collapsed: bool,
        has_header_divider: bool,
        child_blocks: required(list(typed(inContainer), 1, 10)),
      },
      anyOf('title', 'rich_text_title'),
      collapsible,
    ),
    'message',
    'home',
  ),
}
