import { slackFile } from './objects.ts'
import { exactlyOne } from './rules.ts'
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
  plain,
  required,
  str,
  uri,
} from './schema.ts'

const number = { is: 'number' } as const

/** Work objects: records of other systems that a message presents. */
const icon = object({ alt_text: required(str()), url: uri(), slack_file: slackFile })
const externalRef = object({ id: required(filled()), type: str() })
const edit = object({
  enabled: required(bool),
  placeholder: plain(150),
  hint: plain(2_000),
  optional: bool,
  select: anything,
  number: object({ is_decimal_allowed: bool, min_value: number, max_value: number }),
  text: object({ min_length: int(0), max_length: int(0) }),
})
const user = anything
const entityRef = object({
  entity_url: required(uri()),
  external_ref: required(externalRef),
  title: required(filled()),
  display_type: str(),
  icon,
})

const valued: Fields = {
  label: str(),
  link: str(),
  icon,
  long: bool,
  format: str(),
  tag_color: str(),
  edit,
}
const stringField = object({ ...valued, value: required(str()), type: str() })
const timeField = object({ value: required(int(0)), label: str(), type: str(), edit })
const typedField = object({
  ...valued,
  type: required(filled()),
  value: anything,
  image_url: uri(),
  slack_file: slackFile,
  alt_text: str(),
  user,
  entity_ref: entityRef,
})
const imageField = object(
  {
    alt_text: required(str()),
    label: str(),
    image_url: uri(),
    slack_file: slackFile,
    title: str(),
    type: str(),
  },
  exactlyOne('image_url', 'slack_file'),
)
const preview = object({
  is_supported: required(bool),
  preview_url: uri(),
  mime_type: str(),
  error: object({ code: required(filled()), message: str() }),
})
const dates: Fields = { date_created: timeField, date_updated: timeField, created_by: typedField }

/** The fields of each kind of entity. */
const entityFields: Readonly<Record<string, Fields>> = {
  'slack#/entities/file': {
    ...dates,
    preview: imageField,
    last_modified_by: typedField,
    file_size: stringField,
    mime_type: stringField,
    full_size_preview: preview,
  },
  'slack#/entities/task': {
    ...dates,
    description: stringField,
    assignee: typedField,
    status: stringField,
    due_date: typedField,
    priority: stringField,
  },
  'slack#/entities/incident': {
    ...dates,
    status: stringField,
    priority: stringField,
    urgency: stringField,
    assigned_to: typedField,
    description: stringField,
    service: stringField,
  },
  'slack#/entities/content_item': {
    ...dates,
    preview: imageField,
    description: stringField,
    last_modified_by: typedField,
  },
  'slack#/entities/item': {},
}
export const entityTypes: readonly string[] = Object.keys(entityFields)

const customField = object({
  ...valued,
  label: required(filled()),
  key: required(filled()),
  type: required(
    oneOf(
      'integer',
      'string',
      'array',
      'boolean',
      'slack#/types/date',
      'slack#/types/timestamp',
      'slack#/types/image',
      'slack#/types/channel_id',
      'slack#/types/user',
      'slack#/types/entity_ref',
      'slack#/types/link',
      'slack#/types/email',
    ),
  ),
  value: anything,
  image_url: uri(),
  slack_file: slackFile,
  alt_text: str(),
  item_type: str(),
  user,
  entity_ref: entityRef,
  boolean: anything,
})

const button = object({
  text: required(filled()),
  action_id: required(filled(255)),
  value: str({ max: 2_000 }),
  style: str(),
  url: uri(3_000),
  accessibility_label: str({ max: 75 }),
  processing_state: object({ enabled: required(bool), interstitial_text: str() }),
})

const payload = (fields: Fields): ObjectSchema =>
  object({
    attributes: required(
      object({
        title: required(object({ text: required(filled()), edit })),
        display_type: str(),
        display_id: str(),
        product_icon: icon,
        product_name: str(),
        locale: str(),
        full_size_preview: preview,
        metadata_last_modified: number,
      }),
    ),
    fields: object(fields),
    custom_fields: list(customField),
    slack_file: object({ id: required(filled()), type: str() }),
    display_order: list(filled()),
    actions: object({ primary_actions: list(button, 0, 2), overflow_actions: list(button, 0, 5) }),
  })

/** One entity of a message's metadata, by its type. */
export const entitySchemas: Readonly<Record<string, ObjectSchema>> = Object.fromEntries(
  Object.entries(entityFields).map(([type, fields]) => [
    type,
    object({
      entity_type: required(oneOf(type)),
      entity_payload: required(payload(fields)),
      external_ref: required(externalRef),
      url: required(uri()),
      app_unfurl_url: uri(),
    }),
  ]),
)
