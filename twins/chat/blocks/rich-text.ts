import { blockId, type } from './objects.ts'
import {
  bool,
  filled,
  int,
  list,
  type ObjectSchema,
  object,
  oneOf,
  pick,
  required,
  str,
  typed,
  uri,
} from './schema.ts'

const style = object({
  bold: bool,
  italic: bool,
  strike: bool,
  underline: bool,
  code: bool,
  highlight: bool,
  client_highlight: bool,
  unlink: bool,
})

const id = (letters: string) => str({ pattern: new RegExp(`^[${letters}][A-Z0-9]+$`) })

/** What a line of rich text is made of. */
const leaves: Readonly<Record<string, ObjectSchema>> = {
  text: object({ type, text: required(str()), style }),
  link: object({ type, url: required(uri()), text: str(), unsafe: bool, style }),
  user: object({ type, user_id: required(id('UW')), style }),
  usergroup: object({ type, usergroup_id: required(id('S')), style }),
  team: object({ type, team_id: required(id('T')), style }),
  channel: object({ type, channel_id: required(id('CGD')), style }),
  emoji: object({
    type,
    name: required(filled()),
    unicode: filled(),
    skin_tone: int(1, 6),
    url: filled(),
    style,
  }),
  broadcast: object({ type, range: required(oneOf('here', 'channel', 'everyone')), style }),
  color: object({ type, value: required(str({ pattern: /^#?[0-9a-fA-F]{6}$/ })), style }),
  date: object({
    type,
    timestamp: required(int(0)),
    format: required(filled()),
    url: uri(),
    fallback: str(),
    style,
  }),
}

const border = { is: 'integer', values: [0, 1] } as const
const section = object({ type, elements: required(list(typed(leaves))) })

const parts: Readonly<Record<string, ObjectSchema>> = {
  rich_text_section: section,
  rich_text_list: object({
    type,
    style: required(oneOf('bullet', 'ordered')),
    elements: required(list(typed({ rich_text_section: section }), 1)),
    indent: int(0, 8),
    offset: int(0),
    border,
  }),
  rich_text_preformatted: object({
    type,
    elements: required(list(typed(pick(leaves, 'text', 'link')))),
    border,
    language: filled(),
  }),
  rich_text_quote: object({ type, elements: required(list(typed(leaves))), border }),
}

export const richTextBlock = object({ type, elements: required(list(typed(parts))), block_id: blockId })
export const richTextValue = typed({ rich_text: richTextBlock })
