import { anyOf, exactlyOne, uploadedImage } from './rules.ts'
import {
  anything,
  bool,
  filled,
  list,
  type ObjectSchema,
  object,
  oneOf,
  plain,
  required,
  type StringSchema,
  str,
  type TextSchema,
  text,
  uri,
} from './schema.ts'

/** The composition objects: parts that blocks and elements are made of. */
export const blockId: StringSchema = filled(255)
export const actionId: StringSchema = filled(255)
/** Present on every typed object; its value has chosen the schema already. */
export const type = anything

export const confirm = object({
  title: required(plain(100)),
  text: required(text(300)),
  confirm: required(plain(30)),
  deny: required(plain(30)),
  style: oneOf('primary', 'danger'),
})

const optionWith = (label: TextSchema, more: ObjectSchema['fields'] = {}): ObjectSchema =>
  object({
    text: required({ ...label, wrapped: true }),
    value: required(filled(150)),
    description: label,
    ...more,
  })

export const option = optionWith(plain(75))
/** Checkboxes and radio buttons show markup. */
export const markedOption = optionWith(text(75))
/** The entries of an overflow menu may lead to a page. */
export const linkedOption = optionWith(plain(75), { url: filled(3_000) })

export const optionGroup = object({ label: required(plain(75)), options: required(list(option, 1, 100)) })

export const dispatchActionConfig = object({
  trigger_actions_on: required({
    ...list(oneOf('on_enter_pressed', 'on_character_entered'), 1, 2),
    unique: true,
  }),
})

export const conversationFilter = object(
  {
    include: { ...list(oneOf('im', 'mpim', 'private', 'public'), 1), unique: true },
    exclude_external_shared_channels: bool,
    exclude_bot_users: bool,
  },
  anyOf('include', 'exclude_external_shared_channels', 'exclude_bot_users'),
)

export const slackFile = object({ id: filled(), url: uri() }, exactlyOne('id', 'url'), uploadedImage)

const parameter = object({ name: required(filled()), value: required(anything) })
export const workflow = object({
  trigger: required(object({ url: required(uri()), customizable_input_parameters: list(parameter) })),
})

export const feedbackButton = object({
  text: required(plain(75)),
  value: required(filled(2_000)),
  accessibility_label: filled(75),
})

export const icon = object({ type: required(oneOf('icon')), name: required(str()) })

export const rawText = object({ type, text: required(filled()) })
export const rawNumber = object({ type, value: required({ is: 'number' }), text: filled() })
