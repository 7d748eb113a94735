import {
  actionId,
  confirm,
  conversationFilter,
  dispatchActionConfig,
  feedbackButton,
  linkedOption,
  markedOption,
  option,
  optionGroup,
  slackFile,
  type,
  workflow,
} from './objects.ts'
import { richTextValue } from './rich-text.ts'
import { exactlyOne, initialAmong, ordered } from './rules.ts'
import {
  bool,
  type Fields,
  filled,
  int,
  list,
  type ObjectSchema,
  object,
  oneOf,
  plain,
  type Rule,
  required,
  type Schema,
  type Surface,
  str,
  uri,
} from './schema.ts'

const on = (schema: ObjectSchema, ...surfaces: readonly Surface[]): ObjectSchema => ({ ...schema, surfaces })

const base: Fields = { type, action_id: actionId }
const focused: Fields = { ...base, focus_on_load: bool }
const prompted: Fields = { ...focused, placeholder: plain(150) }
/** Fields of elements in which somebody picks. */
const picked: Fields = { ...prompted, confirm }
/** Fields of elements in which somebody types. */
const entered: Fields = { ...prompted, dispatch_action_config: dispatchActionConfig }

const select = (fields: Fields, ...rules: readonly Rule[]): ObjectSchema =>
  object({ ...picked, ...fields }, ...rules)
const options: Fields = { options: list(option, 1, 100), option_groups: list(optionGroup, 1, 100) }
const many: Fields = { max_selected_items: int(1) }
const ids = (schema: Schema = filled()) => list(schema, 1)
const conversation: Fields = { default_to_current_conversation: bool, filter: conversationFilter }

export const imageElement = object(
  { type, alt_text: required(filled(2_000)), image_url: uri(3_000), slack_file: slackFile },
  exactlyOne('image_url', 'slack_file'),
)

export const urlSource = object({ type, url: required(uri()), text: required(filled()) })

/** Interactive elements, and the image. Which block takes which is in `layout.ts`. */
export const elements: Readonly<Record<string, ObjectSchema>> = {
  button: object({
    ...base,
    text: required(plain(75)),
    url: uri(3_000),
    value: filled(2_000),
    style: oneOf('primary', 'danger'),
    confirm,
    accessibility_label: filled(75),
  }),
  checkboxes: object(
    {
      ...focused,
      options: required(list(markedOption, 1, 10)),
      initial_options: list(markedOption, 1),
      confirm,
    },
    initialAmong('initial_options'),
  ),
  radio_buttons: object(
    { ...focused, options: required(list(markedOption, 1, 10)), initial_option: markedOption, confirm },
    initialAmong('initial_option'),
  ),
  datepicker: select({ initial_date: str({ format: 'date' }) }),
  datetimepicker: on(
    object({ ...focused, initial_date_time: int(1_000_000_000, 9_999_999_999), confirm }),
    'message',
    'modal',
  ),
  timepicker: select({ initial_time: str({ format: 'time' }), timezone: filled() }),
  email_text_input: on(object({ ...entered, initial_value: str() }), 'modal'),
  url_text_input: on(object({ ...entered, initial_value: str() }), 'modal'),
  number_input: on(
    object(
      {
        ...entered,
        is_decimal_allowed: required(bool),
        initial_value: str({ pattern: /^-?\d+(\.\d+)?$/ }),
        min_value: str({ pattern: /^-?\d+(\.\d+)?$/ }),
        max_value: str({ pattern: /^-?\d+(\.\d+)?$/ }),
      },
      ordered('min_value', 'max_value'),
    ),
    'modal',
  ),
  plain_text_input: object(
    {
      ...entered,
      initial_value: str(),
      multiline: bool,
      min_length: int(0, 3_000),
      max_length: int(1, 3_000),
    },
    ordered('min_length', 'max_length'),
  ),
  rich_text_input: on(
    object(
      { ...entered, initial_value: richTextValue, min_lines: int(1, 100), max_lines: int(1, 100) },
      ordered('min_lines', 'max_lines'),
    ),
    'modal',
    'home',
  ),
  file_input: on(object({ ...base, filetypes: list(filled(), 1), max_files: int(1, 10) }), 'modal'),
  overflow: object({ ...base, options: required(list(linkedOption, 1, 5)), confirm }),
  feedback_buttons: on(
    object({ ...base, positive_button: required(feedbackButton), negative_button: required(feedbackButton) }),
    'message',
  ),
  icon_button: on(
    object({
      ...base,
      icon: required(oneOf('trash')),
      text: required(plain(75)),
      value: filled(2_000),
      confirm,
      accessibility_label: filled(75),
      visible_to_user_ids: list(filled()),
    }),
    'message',
  ),
  workflow_button: on(
    object({
      ...base,
      text: required(plain(75)),
      workflow: required(workflow),
      style: oneOf('primary', 'danger'),
      accessibility_label: filled(75),
      confirm,
    }),
    'message',
  ),
  static_select: select(
    { ...options, initial_option: option },
    exactlyOne('options', 'option_groups'),
    initialAmong('initial_option'),
  ),
  external_select: select({ initial_option: option, min_query_length: int(0) }),
  users_select: select({ initial_user: filled() }),
  conversations_select: select({
    ...conversation,
    initial_conversation: filled(),
    response_url_enabled: bool,
  }),
  channels_select: select({ initial_channel: filled(), response_url_enabled: bool }),
  multi_static_select: select(
    { ...options, ...many, initial_options: list(option, 1) },
    exactlyOne('options', 'option_groups'),
    initialAmong('initial_options'),
  ),
  multi_external_select: select({ ...many, initial_options: list(option, 1), min_query_length: int(0) }),
  multi_users_select: select({ ...many, initial_users: ids() }),
  multi_conversations_select: select({ ...conversation, ...many, initial_conversations: ids() }),
  multi_channels_select: select({ ...many, initial_channels: ids() }),
  image: imageElement,
}
